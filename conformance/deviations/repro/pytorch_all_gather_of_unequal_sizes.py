"""PyTorch: gloo's all_gather refuses what the document of all_gather promises.

torch.distributed.all_gather says `Complex and uneven sized tensors are supported`. With
gloo every rank fails: "ProcessGroupGloo::allgather: invalid tensor size at index 1".
Public issue: pytorch/pytorch#156627.
"""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def gather(rank, rendezvous):
    dist.init_process_group("gloo", f"file://{rendezvous}", rank=rank, world_size=2)
    parts = [torch.empty(1), torch.empty(2)]
    dist.all_gather(parts, torch.full((rank + 1,), float(rank)))
    print(f"rank {rank}: expected [0] and [1, 1], observed {parts}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(gather, (f"{folder}/rendezvous",), nprocs=2)
