"""Who goes first: in each recording, drawn and balanced."""
import itertools
import random

from benchmarks.gate.recording import SIDES


def first_sides(seed):
    """Endless: of each two recordings in a row each side begins one, and chance, by a seed, says which."""
    rng = random.Random(seed)
    for _ in itertools.count():
        yield from rng.choice((SIDES, SIDES[::-1]))


def beginning_with(first):
    """Both sides, `first` before the other one."""
    return SIDES if first == SIDES[0] else SIDES[::-1]
