"""Grain 0.2.18: ElasticIterator gives one shard a step more than the other.

Expected: with global batches of 4 from 11 examples both shards have 2 steps (a training step is
collective, and by the docstring of ElasticIterator shards "produce the same exact checkpoint"
only "as long as they are advanced the same number of steps").
Observed: shard 0 has 3 steps, shard 1 has 2; in training shard 0 waits in its third forever.
"""

import grain
from grain.experimental import ElasticIterator

for shard in range(2):
    options = grain.sharding.ShardOptions(shard, 2)
    iterator = iter(ElasticIterator(grain.MapDataset.range(11), 4, options))
    batches = [batch.tolist() for batch in iterator]
    print(f"shard {shard}: expected 2 batches, observed {len(batches)}: {batches}", iterator.get_state())
