"""Transformers 5.24: without worker processes every rank draws the same random numbers where examples are read.

A Trainer seeds each rank's generators with `seed`, 42 unless said otherwise, when it is made; the
worker processes of a loader it seeds by the rank as well (`seed_worker`). With
dataloader_num_workers=0, the default, a data set that augments by random numbers augments the
examples of all ranks in the same way: N ranks see one augmentation where one process sees N.

Expected: other numbers on each rank, with and without workers.
"""

import os
import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data import Dataset


class Augmented(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, place):
        return {"x": torch.tensor(np.random.random_sample())}


def main(rank, world, port, folder):
    os.environ.update(
        RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=port
    )
    np.random.seed()  # as of a process of its own
    import transformers
    from transformers import Trainer, TrainingArguments

    for workers in (0, 2):
        arguments = TrainingArguments(
            folder,
            use_cpu=True,
            ddp_backend="gloo",
            report_to="none",
            per_device_train_batch_size=2,
            dataloader_num_workers=workers,
            dataloader_pin_memory=False,
            remove_unused_columns=False,
        )
        trainer = Trainer(torch.nn.Linear(1, 1), arguments, train_dataset=Augmented())
        drawn = [batch["x"].tolist() for batch in trainer.get_train_dataloader()]
        everywhere = [None] * world
        dist.all_gather_object(everywhere, drawn)
        if rank == 0:
            print(
                f"Transformers {transformers.__version__}, {world} ranks, {workers} workers: expected other numbers on "
                f"each rank, observed {everywhere}"
            )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(main, (2, "29760", folder), nprocs=2)
