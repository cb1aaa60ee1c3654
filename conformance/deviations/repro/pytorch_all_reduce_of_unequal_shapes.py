"""PyTorch: gloo does not notice that the ranks reduce tensors of unequal shapes.

Expected an error at once, on all ranks; observed that they wait until the timeout of
the group, by default half an hour, or for the other one to give up.
TORCH_DISTRIBUTED_DEBUG=DETAIL makes it the error that it is.
"""

import datetime
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def reduce(rank, rendezvous):
    timeout = datetime.timedelta(seconds=5)
    dist.init_process_group(
        "gloo", f"file://{rendezvous}", rank=rank, world_size=2, timeout=timeout
    )
    begin = time.monotonic()
    try:
        dist.all_reduce(torch.ones(rank + 1))
        outcome = "no error"
    except RuntimeError as error:
        outcome = str(error)
    print(f"rank {rank}, after {time.monotonic() - begin:.1f} s: {outcome}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(reduce, (f"{folder}/rendezvous",), nprocs=2)
