"""Accelerate 1.15: a prepared schedule goes N steps with each step of N processes, unless split_batches is asked for.

The document "Comparing performance across distributed setups" has it under "Learning Rates": since N processes
have a batch N times as large, a schedule goes N times as fast. A loader whose batch is half as large on two
processes, so that both numbers of processes learn from the same, has then other rates than on one. Expected
of one schedule, as with split_batches: 1.0, 0.5, 0.25, 0.125.
"""

import os

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader


def main(rank, world, split_batches, port):
    os.environ.update(
        RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=port
    )
    from accelerate import Accelerator, DataLoaderConfiguration, __version__

    accelerator = Accelerator(cpu=True, dataloader_config=DataLoaderConfiguration(split_batches=split_batches))
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    halving = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    loader = DataLoader(torch.ones(16, 1), batch_size=4 if split_batches else 4 // world)
    model, optimizer, halving, loader = accelerator.prepare(model, optimizer, halving, loader)
    rates = []
    for batch in loader:
        rates += halving.get_last_lr()
        accelerator.backward(model(batch).mean())
        optimizer.step()
        halving.step()
        optimizer.zero_grad()
    if rank == 0:
        print(f"Accelerate {__version__}, split_batches={split_batches}, {world} processes: rates {rates}", flush=True)


if __name__ == "__main__":
    for number, (split_batches, world) in enumerate(((True, 1), (True, 2), (False, 1), (False, 2))):
        mp.spawn(main, (world, split_batches, str(29780 + number)), nprocs=world)
