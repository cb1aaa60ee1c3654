"""Accelerate up to 0.15: gather_for_metrics drops the last batch, where none stands over.

What stands over of the examples is 0 then, and as many are kept of the last batch.
huggingface/accelerate#952 and #982; fixed in 0.16.0.
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
    loader = torch.utils.data.DataLoader(range(8), batch_size=2)
    batches = map(accelerator.gather_for_metrics, accelerator.prepare(loader))
    seen = [number for batch in batches for number in batch.tolist()]
    if rank == 0:
        print(f"Accelerate {__version__}: expected {list(range(8))}, observed {seen}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(gather, (f"{folder}/rendezvous",), nprocs=2)
