"""Values that differ by rank, as a rank sees them and as all ranks together do.

A rank knows its own part only. What it observes of such a value is marked, and
`merged` puts the marked parts of all ranks side by side.
"""

import itertools

RANKS = "\0ranks"  # no key of a program, whose names are printable
_NO_ROUND = object()  # a rank without data left, where others went on


class PerRank:
    """This rank's part of a value that differs by rank."""

    def __init__(self, local):
        self.local = local


def mark(observation):
    """What a rank reports of a value that has one entry per replica."""
    return {RANKS: observation}


def local_part(value):
    """`value` with each part that differs by rank replaced by this rank's."""
    if isinstance(value, PerRank):
        return value.local
    if isinstance(value, dict):
        return {key: local_part(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(local_part(item) for item in value)
    return value


def spread(value):
    """`value` with each of its leaves as one that differs by rank; None stays None."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {key: spread(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(spread(item) for item in value)
    return PerRank(value)


def merged(observations):
    """The observations of all ranks as one: marked parts side by side.

    The first rank that has it speaks for what is not marked. A rank that made fewer
    rounds than others has None in the rounds it did not make.
    """
    first = next(one for one in observations if one is not _NO_ROUND)
    if isinstance(first, dict) and RANKS in first:
        return [_unmarked(one) for one in observations]
    if isinstance(first, dict):
        return {key: merged([_part(one, key) for one in observations]) for key in first}
    if isinstance(first, list):
        lists = [[] if one is _NO_ROUND else one for one in observations]
        rounds = itertools.zip_longest(*lists, fillvalue=_NO_ROUND)
        return [merged(entries) for entries in rounds]
    return first


def _part(observation, key):
    return _NO_ROUND if observation is _NO_ROUND else observation[key]


def _unmarked(observation):
    return None if observation is _NO_ROUND else merged([observation[RANKS]])
