"""Grain 0.2.18: set_state of an interleaved dataset's iterator keeps the caller's state, and changes it.

Expected: a state that was restored once can be restored again. Observed: the first restored
iterator writes into it while it reads, so that the second one begins elsewhere.
"""

import copy

import grain
from grain.experimental import InterleaveIterDataset

parts = [grain.MapDataset.range(10 * n, 10 * n + 3).to_iter_dataset() for n in range(4)]
dataset = InterleaveIterDataset(parts, cycle_length=2)
iterator = iter(dataset)
next(iterator)
state = copy.deepcopy(iterator.get_state())
for attempt in ("first", "second"):
    restored = iter(dataset)
    restored.set_state(state)
    print(f"{attempt} restore: expected 11 elements from 10 on, observed", list(restored))
