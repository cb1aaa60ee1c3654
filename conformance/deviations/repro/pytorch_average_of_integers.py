"""PyTorch: the average of integers over ranks is an error with gloo.

Expected 1.5, the mean of 1 and 2; observed "result type Float can't be cast to the
desired output type Int": the reduction has to fit into the tensor it is given.
"""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def average(rank, rendezvous):
    dist.init_process_group("gloo", f"file://{rendezvous}", rank=rank, world_size=2)
    value = torch.tensor(rank + 1, dtype=torch.int32)
    dist.all_reduce(value, op=dist.ReduceOp.AVG)
    print(f"rank {rank}: expected 1.5, observed {value}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(average, (f"{folder}/rendezvous",), nprocs=2)
