"""PyTorch: ranks wait in a collective for one that has failed and goes on living.

Rank 1 fails before the all-reduce and handles its error. Expected that rank 0 is informed;
observed that it waits until the timeout of the group, by default half an hour.
Public issues: pytorch/pytorch#111646, pytorch/pytorch#97191.
"""

import datetime
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def step(rank, rendezvous):
    timeout = datetime.timedelta(seconds=5)
    dist.init_process_group("gloo", f"file://{rendezvous}", rank=rank, world_size=2, timeout=timeout)
    begin = time.monotonic()
    try:
        if rank == 1:
            raise ValueError("this rank fails")
        dist.all_reduce(torch.ones(1))
    except (RuntimeError, ValueError) as error:
        print(f"rank {rank}, after {time.monotonic() - begin:.1f} s: {error}")
    time.sleep(10 - (time.monotonic() - begin))  # alive, and doing something else


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(step, (f"{folder}/rendezvous",), nprocs=2)
