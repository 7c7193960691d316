"""The games that ship with Evenhand, a folder each."""
