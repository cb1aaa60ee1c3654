"""Accelerate 1.15: behind skip_first_batches, gather_for_metrics gives padding too.

The sampler that skips has no batch size, so that it is unknown how much of the last batch was
added; the error is swallowed. huggingface/accelerate#4235 (open). The docstring of
gather_for_metrics: "potentially drops duplicates in the last batch if on a distributed system".
"""

import os

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader


def main(rank, port):
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    from accelerate import Accelerator, __version__

    accelerator = Accelerator(cpu=True)
    loader = accelerator.prepare(DataLoader(torch.arange(5), batch_size=2))
    whole = torch.cat([accelerator.gather_for_metrics(batch) for batch in loader]).tolist()
    skipping = accelerator.skip_first_batches(loader, 1)
    rest = torch.cat([accelerator.gather_for_metrics(batch) for batch in skipping]).tolist()
    if rank == 0:
        print(
            f"Accelerate {__version__}: a whole pass gathers {whole}; behind its first batch expected [4], observed {rest}"
        )


if __name__ == "__main__":
    mp.spawn(main, ("29701",), nprocs=2)
