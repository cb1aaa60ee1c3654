"""len() of a DataLoader over a sharded data pipe is another before its first pass than after it."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data import DataLoader
from torch.utils.data.datapipes.iter import IterableWrapper


def go(rank):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29514"}
    dist.init_process_group("gloo", rank=rank, world_size=2)
    loader = DataLoader(IterableWrapper(range(9)).sharding_filter(), batch_size=2)
    print(rank, len(loader), [batch.tolist() for batch in loader], len(loader), flush=True)


if __name__ == "__main__":
    print(torch.__version__)
    mp.spawn(go, nprocs=2)
