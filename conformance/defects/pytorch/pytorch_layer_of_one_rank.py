"""PyTorch: ranks wait for the gradient of a layer that one of them does not pass through, unless it was announced.

By design: the docstring of DistributedDataParallel says of find_unused_parameters (default False):
"Parameters that don't receive gradients as part of this graph are preemptively marked as being
ready to be reduced." Without it the rank that has a gradient waits for the others until the group's
deadline, 30 minutes unless said otherwise.

Expected of one process with both examples: weight 2 - 0.125 * (2 * 2 * 1 + 0) / 2 = 1.75.
"""

import datetime
import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Routed(torch.nn.Module):
    """Only what is above 0 is multiplied."""

    def __init__(self):
        super().__init__()
        self.always = torch.nn.Parameter(torch.tensor(1.0))
        self.sometimes = torch.nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        return self.always * (self.sometimes * x if x > 0 else x)


def main(rank, world, port, announced):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    dist.init_process_group("gloo", rank=rank, world_size=world, timeout=datetime.timedelta(seconds=5))
    net = Routed()
    model = torch.nn.parallel.DistributedDataParallel(net, find_unused_parameters=announced)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.125)
    try:
        model(torch.tensor([1.0, -1.0][rank])).square().backward()
        optimizer.step()
        observed = net.sometimes.item()
    except RuntimeError as error:
        observed = str(error).split("] ")[-1].split(". ")[0]
    if rank == 0:
        print(
            f"PyTorch {torch.__version__}, {world} ranks, find_unused_parameters={announced}: expected 1.75, "
            f"observed {observed}"
        )
    elif not announced:
        time.sleep(8)  # as one that goes on to the next batch, and is there
    os._exit(0)  # what is left of the group would wait for the other rank


if __name__ == "__main__":
    for announced in (True, False):
        mp.spawn(main, (2, str(29550 + announced), announced), nprocs=2)
