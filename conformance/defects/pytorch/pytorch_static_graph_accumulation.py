"""PyTorch 2.15: with static_graph=True a first window under no_sync ends in an internal assertion.

Expected: gradients as without static_graph, which says that "the set of used and unused parameters will
not change during the whole training loop", and that is so here. `no_sync` is the documented way to
accumulate gradients, and names no exception. Where the very first backward is one that is combined, later
windows are right. pytorch/pytorch#143580, huggingface/accelerate#3679; #187732 would fix it.
"""

import contextlib
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel


def gradients(rank, static_graph, windows):
    model, found = DistributedDataParallel(torch.nn.Linear(1, 1, bias=False), static_graph=static_graph), []
    for window in windows:
        model.zero_grad()
        for place in range(window):
            with contextlib.nullcontext() if place + 1 == window else model.no_sync():
                model(torch.full((1, 1), 1.0 + 2 * rank)).sum().backward()
        found.append(model.module.weight.grad.item())
    return found


def main(rank, static_graph, windows, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    try:
        observed = gradients(rank, static_graph, windows)
    except RuntimeError as error:
        observed = str(error)[:110]
    if rank == 0:
        print(
            f"PyTorch {torch.__version__}, static_graph={static_graph}, windows of {windows} batches: "
            f"expected {[2.0 * window for window in windows]}, observed {observed}",
            flush=True,
        )
    os._exit(0)  # as a group whose backward has failed does not end by itself


if __name__ == "__main__":
    runs = [(static_graph, windows) for windows in ((2, 2), (1, 2, 2)) for static_graph in (False, True)]
    for number, run in enumerate(runs):
        mp.spawn(main, (*run, str(29760 + number)), nprocs=2)
