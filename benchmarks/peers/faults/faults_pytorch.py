"""A worker for //benchmarks/faults: PyTorch's DistributedDataParallel over gloo.

The first worker of TF_CONFIG is the master; rank 0 writes the checkpoint aside and
renames it, and all ranks load it.
"""

import datetime
import os
import sys

import numpy as np
import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

from benchmarks.peers.faults import faults_worker as worker


def join(arguments):
    """Meets the others; this worker's rank and their number.

    There is one limit for coming and for answering.
    """
    addresses, rank = worker.cluster()
    timeout = None
    if arguments.timeout:
        limit = max(arguments.timeout, arguments.join_timeout)
        timeout = datetime.timedelta(seconds=limit)
    torch.distributed.init_process_group(
        "gloo", init_method=f"tcp://{addresses[0]}", rank=rank, world_size=len(addresses), timeout=timeout
    )
    return rank, len(addresses)


def save(path, model, optimizer, step):
    state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    torch.save(state, path + ".tmp")
    os.replace(path + ".tmp", path)


def load(path, model, optimizer):
    """The steps taken before; 0 without a checkpoint."""
    if not os.path.exists(path):
        return 0
    state = torch.load(path, weights_only=True)
    model.module.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["step"]


def take_step(model, optimizer, rows, world_size):
    """The loss of the global batch. DDP averages the gradients, the rest sums."""
    optimizer.zero_grad()
    loss = model(rows).sum() / worker.BATCH
    (loss * world_size).backward()
    optimizer.step()
    total = loss.detach().clone()
    torch.distributed.all_reduce(total)
    return total.item()


def work(arguments):
    rank, world_size = join(arguments)
    module = torch.nn.Linear(worker.FEATURES, 1, bias=False)
    torch.nn.init.ones_(module.weight)
    model = DistributedDataParallel(module)
    optimizer = torch.optim.SGD(model.parameters(), worker.LEARNING_RATE, momentum=worker.MOMENTUM)
    os.makedirs(arguments.directory, exist_ok=True)
    path = os.path.join(arguments.directory, "checkpoint.pt")
    step = load(path, model, optimizer)
    torch.distributed.barrier()  # no rank saves before all have loaded
    worker.say("joined", step=step)
    rows = worker.examples()
    while step < arguments.epochs * worker.STEPS_PER_EPOCH:
        first = step % worker.STEPS_PER_EPOCH * worker.BATCH
        batch = rows[first : first + worker.BATCH]
        mine = torch.from_numpy(np.array_split(batch, world_size)[rank])
        loss = take_step(model, optimizer, mine, world_size)
        step += 1
        worker.say("step", step=step, loss=loss)
        if step % arguments.save_every == 0:
            worker.say("saving", step=step)
            if rank == 0:
                save(path, model, optimizer, step)
            worker.say("saved", step=step)
    weights = module.weight.detach().numpy()
    worker.say("trained", weights=worker.changed_weights(weights))
    torch.distributed.destroy_process_group()


def main():
    arguments = worker.parse(__doc__)
    worker.say("started")
    torch.set_num_threads(1)
    sys.exit(worker.run(lambda: work(arguments)))


if __name__ == "__main__":
    main()
