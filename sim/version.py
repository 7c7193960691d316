"""The version of Evenhand, here and nowhere else: the build, ``evenhand --version`` and the manifests read it."""

VERSION = "0.1.0"
