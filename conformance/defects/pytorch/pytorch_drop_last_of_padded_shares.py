"""PyTorch: DataLoader(drop_last=True) drops of what the DistributedSampler has filled up before.

By design: the docstring of DistributedSampler says of its own drop_last: "If ``False``, the sampler
will add extra indices to make the data evenly divisible across the replicas. Default: ``False``.";
that of DataLoader's: "set to ``True`` to drop the last incomplete batch". The sampler comes first.
Expected of one replica with global batches of 4: 11 examples give 2 batches, 3 examples are left
out; 7 examples give 1. Observed: shares of 6 give 3 batches, in which all examples are and the
first one once more; of 7 examples 2 batches. With the sampler's drop_last too there are 2 and 1.
"""

import torch
from torch.utils.data import DataLoader, DistributedSampler

RANKS, OWN = 2, 2


def shares(examples, drop):
    """The loaders of the ranks, whose samplers drop or add examples."""
    for rank in range(RANKS):
        options = {"num_replicas": RANKS, "rank": rank, "shuffle": False, "drop_last": drop}
        sampler = DistributedSampler(examples, **options)
        yield DataLoader(examples, OWN, sampler=sampler, drop_last=True)


for count in (11, 7):
    examples = range(1, count + 1)
    one = [batch.tolist() for batch in DataLoader(examples, RANKS * OWN, drop_last=True)]
    for drop in (False, True):
        loaders = list(shares(examples, drop))
        steps = [[own.tolist() for own in step] for step in zip(*loaders, strict=True)]
        print(
            f"PyTorch {torch.__version__}, {count} examples, sampler with drop_last={drop}:",
            f"expected {len(one)} batches, {one}, observed {len(loaders[0])}, {steps}",
        )
