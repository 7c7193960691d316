"""Elestrals: two players, twenty Spirits each that are life and mana at once, real starter decks."""
