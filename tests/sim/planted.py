"""A kernel that reads behind the end of its array, for the test of the checked build."""

import sys

import numpy as np

from sim.jit import entry, kernel


@kernel
def at(values, i):
    return values[i]


@entry
def read(values, i):
    return at(values, i)


if __name__ == "__main__":
    try:
        read(np.zeros(4, np.int64), int(sys.argv[1]))
    except IndexError:
        print("caught")
    else:
        print("unnoticed")
