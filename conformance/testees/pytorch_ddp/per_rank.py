"""Values that differ by rank, as a rank sees them and as all ranks together do.

A rank knows its own part only. What it observes of such a value is marked, and
`merged` puts the marked parts of all ranks side by side.
"""

RANKS = "\0ranks"  # no key of a program, whose names are printable


class PerRank:
    """This rank's part of a value that differs by rank."""

    def __init__(self, local):
        self.local = local


def mark(observation):
    """What a rank reports where the program is told one entry a replica."""
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
    """The observations of all ranks as one: rank 0's, marked parts side by side."""
    first = observations[0]
    if isinstance(first, dict) and RANKS in first:
        return [merged([_unmarked(one)]) for one in observations]
    if isinstance(first, dict):
        return {key: merged([one[key] for one in observations]) for key in first}
    if isinstance(first, list) and len({len(one) for one in observations}) == 1:
        return [merged(list(entries)) for entries in zip(*observations)]
    return first


def _unmarked(observation):
    return observation[RANKS]
