"""Values and inputs together with the strategy they belong to."""

import tensorflow as tf

from conformance.testees.tensorflow.keep_alive import keep_alive


class Distributed:
    """A value that differs by replica, as TensorFlow gave it.

    On one replica TensorFlow gives plain tensors, which look like values that do not
    differ; so what came out of a run, an input or a merge is marked as such.
    """

    def __init__(self, strategy, value):
        self.strategy = strategy
        self.value = value

    def local_results(self):
        """The replicas' values."""
        return self.strategy.experimental_local_results(self.value)

    def part(self, key):
        """The part of each replica's structure."""
        index = key if isinstance(self.value, dict) else int(key)
        return Distributed(self.strategy, self.value[index])


class Input:
    """A distributed dataset or an iterator over one."""

    def __init__(self, strategy, source):
        self.strategy = strategy
        self.source = source

    def __iter__(self):
        """The elements, marked."""
        return map(self.mark, keep_alive(iter(self.source)))

    def mark(self, element):
        return Distributed(self.strategy, element)


def unwrap(value):
    """What TensorFlow itself calls the value; also inside structures."""
    if isinstance(value, Distributed):
        return value.value
    if isinstance(value, dict):
        return {key: unwrap(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(unwrap(item) for item in value)
    return value


def differs(value):
    """Whether a value, or a part of it, differs by replica."""
    if isinstance(value, (dict, tuple)):
        parts = value.values() if isinstance(value, dict) else value
        return any(differs(part) for part in parts)
    return isinstance(value, Distributed)


def mark_where_it_differs(value):
    """A structure of which parts differ as one value that differs."""
    if isinstance(value, (dict, tuple)) and differs(value):
        return Distributed(tf.distribute.get_strategy(), unwrap(value))
    return value
