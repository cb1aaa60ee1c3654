"""Transformers 5.24: what train() returns as training_loss is the rank's own where nothing logged it.

What is logged is gathered and averaged; what remains since the last log (with
logging_strategy="no", or fewer steps than logging_steps, all of it) is added as it is on the rank.
Rank 0 reports its own examples' loss. By the docstring of Trainer.train the result is an "Object
containing the global step count, training loss, and metrics."; nothing says whose loss it is.
"""

import os
import tempfile

import torch
import torch.multiprocessing as mp
from torch.utils.data import Dataset


class Numbers(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, place):
        return {"x": torch.tensor([0.0, 8.0][place])}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))

    def forward(self, x):
        return {"loss": (self.weight * x).mean()}


def main(rank, world, port, folder):
    os.environ.update(
        RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=port
    )
    import transformers
    from transformers import Trainer, TrainingArguments

    arguments = TrainingArguments(
        folder,
        use_cpu=True,
        ddp_backend="gloo",
        report_to="none",
        disable_tqdm=True,
        save_strategy="no",
        per_device_train_batch_size=2 // world,
        num_train_epochs=1,
        learning_rate=0.0,
        logging_strategy="no",
        remove_unused_columns=False,
        label_names=[],
    )
    found = Trainer(Model(), arguments, train_dataset=Numbers()).train()
    losses = [found.training_loss]
    if world > 1:
        losses = [None] * world
        torch.distributed.all_gather_object(losses, found.training_loss)
    if rank == 0:
        print(
            f"Transformers {transformers.__version__}, {world} ranks: expected training_loss 4.0 on each, observed {losses}"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for world in (1, 2):
            mp.spawn(main, (world, str(29720 + world), folder), nprocs=world)
