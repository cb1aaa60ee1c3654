"""PyTorch: what a rank assigns to a parameter stays its own, and nothing notices.

DistributedDataParallel makes the copies equal when it is made and applies equal updates
from then on; it checks neither, and another step does not bring them together.
"""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def train(rank, rendezvous):
    dist.init_process_group("gloo", f"file://{rendezvous}", rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1, bias=False))
    with torch.no_grad():
        model.module.weight.fill_(10.0 + rank)
    model(torch.ones(1, 1)).sum().backward()
    torch.optim.SGD(model.parameters(), lr=1).step()
    weight = model.module.weight.item()
    print(f"rank {rank}: expected the same on both ranks, observed {weight}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, (f"{folder}/rendezvous",), nprocs=2)
