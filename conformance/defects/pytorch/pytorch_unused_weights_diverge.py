"""DistributedDataParallel: a weight that a batch does not reach keeps the others from being combined.

The step is taken, nothing is said, and the ranks' weights differ. Only the next forward fails.
"""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = torch.nn.Linear(1, 1, bias=False), torch.nn.Linear(1, 1, bias=False)

    def forward(self, x):
        return self.used(x)


def go(rank):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29513"}
    dist.init_process_group("gloo", rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(Net())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.tensor([[1.0 + rank]])).sum().backward()
    optimizer.step()
    print(rank, "gradient", model.module.used.weight.grad.item(), "weight", model.module.used.weight.item(), flush=True)
    dist.barrier()
    try:
        model(torch.ones(1, 1))
    except RuntimeError as error:
        print(rank, str(error)[:90], flush=True)


if __name__ == "__main__":
    print(torch.__version__)
    mp.spawn(go, nprocs=2)
