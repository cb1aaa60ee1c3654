"""Grain 0.2.18: a DataLoader on 2 shards without drop_remainder loses and repeats records.

The docstring of ShardOptions says of drop_remainder: "If False will distribute the remainder N
over the first N shards." Expected: in each pass the shards together have records 0 to 4 once each.
Observed: one pass does not have record 2; in two passes record 2 comes once and record 3 three times.
"""

import collections

import grain


def read(shard, shards, epochs, records=5):
    options = grain.sharding.ShardOptions(shard, shards, drop_remainder=False)
    sampler = grain.samplers.IndexSampler(records, shard_options=options, num_epochs=epochs, seed=0)
    loader = grain.DataLoader(data_source=range(records), sampler=sampler, worker_count=0)
    return [int(record) for record in loader]


for epochs in (1, 2):
    shares = [read(shard, 2, epochs) for shard in range(2)]
    counts = collections.Counter(sum(shares, []))
    print(
        f"passes: {epochs}, shards: {shares}, expected each {epochs} time(s), observed",
        {record: counts[record] for record in range(5)},
    )
