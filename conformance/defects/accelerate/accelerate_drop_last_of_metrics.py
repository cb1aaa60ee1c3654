"""Accelerate up to 0.23: gather_for_metrics cuts the last batch, where the rest is dropped.

drop_last is not looked at, and the examples that stand over are taken for those of the
last batch. huggingface/accelerate#2007 and #2048; fixed in 0.24.0.
"""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from accelerate import Accelerator, __version__


def gather(rank, rendezvous):
    own = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
    os.environ.update(own, MASTER_ADDR="localhost", MASTER_PORT="29500")  # not used
    dist.init_process_group("gloo", f"file://{rendezvous}", rank=rank, world_size=2)
    accelerator = Accelerator(cpu=True)
    loader = torch.utils.data.DataLoader(range(9), batch_size=2, drop_last=True)
    batches = map(accelerator.gather_for_metrics, accelerator.prepare(loader))
    seen = [number for batch in batches for number in batch.tolist()]
    if rank == 0:
        print(f"Accelerate {__version__}: expected {list(range(8))}, observed {seen}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(gather, (f"{folder}/rendezvous",), nprocs=2)
