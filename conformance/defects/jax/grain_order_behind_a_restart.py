"""Grain 0.2.18: what is restored without its iterator begins with the order of the first pass.

By design: the docstring of MapDataset.repeat says: "By default, random upstream transformations
such as ``shuffle`` and ``random_map`` will be seeded differently (but deterministically) for each
epoch."; the number of the epoch is the iterator's. The docstring of grain's dataset module says of
DatasetIterator: "The state of the iterator can be saved and restored." Expected after one pass and
a restart: the order of the second. Observed: that of the first, unless the iterator's state was
saved with the parameters, or its place is set from the number of the pass.
"""

import grain
from grain.experimental import set_next_index


def made():
    return iter(grain.MapDataset.range(8).shuffle(seed=9).repeat().to_iter_dataset())


def one_pass(iterator):
    return [next(iterator) for _ in range(8)]


whole = made()
first = one_pass(whole)
state = whole.get_state()
second = one_pass(whole)
print(f"Grain {grain.__version__}, without a restart: {first}, then {second}")
print("a new iterator: expected", second, "observed", one_pass(made()))
restored = made()
restored.set_state(state)
print("with its state: expected", second, "observed", one_pass(restored))
counted = made()
set_next_index(counted, 8)
print("with its place: expected", second, "observed", one_pass(counted))
