"""PyTorch: a weight that no batch reaches ends training with an error, unless it was announced.

By design: the docstring of DistributedDataParallel says of find_unused_parameters (default False):
"Parameters that don't receive gradients as part of this graph are preemptively marked as being
ready to be reduced." Without it the reducer waits for their gradients, and the next forward fails,
on one rank too. Expected of one replica, without DistributedDataParallel: two steps, weight 0.5625.
"""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used = torch.nn.Parameter(torch.tensor(1.0))
        self.unused = torch.nn.Parameter(torch.tensor(4.0))

    def forward(self, x):
        return self.used * x


def train(model):
    """Two steps towards 0."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.125)
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(2)).square().mean().backward()
        optimizer.step()


def main(rank, world, port):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    dist.init_process_group("gloo", rank=rank, world_size=world)
    for announced in (True, False):
        net = Net()
        try:
            train(torch.nn.parallel.DistributedDataParallel(net, find_unused_parameters=announced))
            observed = net.used.item()
        except RuntimeError as error:
            observed = str(error)[:76]
        print(
            f"PyTorch {torch.__version__}, rank {rank} of {world}, find_unused_parameters="
            f"{announced}: expected 0.5625, observed {observed}\n",
            end="",
            flush=True,
        )
    dist.destroy_process_group()


if __name__ == "__main__":
    for world in (1, 2):
        mp.spawn(main, (world, str(29530 + world)), nprocs=world)
