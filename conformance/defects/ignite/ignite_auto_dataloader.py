"""Ignite: what auto_dataloader gives on one process and on two, for the same arguments.

- without `shuffle` the pass is in order on one process and shuffled on two (its default is True
  there, False in the DataLoader); the docstring has "keyword arguments for `torch DataLoader`_" and
  "if no sampler provided by user, a `torch DistributedSampler`_ is setup.", and does not say what
  `shuffle` is by default;
- with shuffle=True the order follows ignite.utils.manual_seed on one process, and nothing on two: the sampler that it
  makes has the seed 0;
- a batch of 5 on two processes is one of 2 on each, a batch of 1 one of 1 on each: global batches
  of 4 and of 2 (the docstring: "batch size is scaled by world size: ``batch_size / world_size`` if
  larger or equal world size.").
"""

import sys

import ignite
import ignite.distributed as idist
import torch
from torch.utils.data import TensorDataset


def pass_of(seed=0, **options):
    ignite.utils.manual_seed(seed)
    loader = idist.auto_dataloader(TensorDataset(torch.arange(8)), **options)
    return [batch.tolist() for (batch,) in loader]


def run(rank, expected):
    for options in ({"batch_size": 4}, {"batch_size": 5, "shuffle": False}, {"batch_size": 1, "shuffle": False}):
        own = torch.tensor([len(batch) for batch in pass_of(**options)])
        sizes = idist.all_reduce(own).tolist()
        print(
            f"{idist.get_world_size()} processes, rank {rank}, {options}: {pass_of(**options)}, global batches of {sizes}"
        )
    same = pass_of(1, batch_size=8, shuffle=True) == pass_of(2, batch_size=8, shuffle=True)
    print(
        f"{idist.get_world_size()} processes, rank {rank}: seeds 1 and 2 give the same order: expected False, observed {same}"
    )


if __name__ == "__main__":
    if "two" in sys.argv:
        with idist.Parallel(backend="gloo", nproc_per_node=2) as parallel:
            parallel.run(run, None)
    else:
        run(0, None)
