"""Transformers 5.24: eval_loss takes in the examples that were added to fill the last batch.

Three examples on two ranks of batches of two: the second rank's batch is filled up with example 0
and its mean loss, over example 2 and example 0, is what stands for example 2. By its docstring
Trainer.evaluate returns "the evaluation loss and the potential metrics computed from the
predictions"; predictions and label_ids are cut right, eval_loss is not.
"""

import os
import tempfile

import torch
import torch.multiprocessing as mp
from torch.utils.data import Dataset


class Numbers(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, place):
        return {"x": torch.tensor([0.0, 0.0, 9.0][place]), "labels": torch.tensor(0.0)}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))

    def forward(self, x, labels):
        return {"loss": (self.weight * x - labels).mean(), "logits": self.weight * x}


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
        per_device_eval_batch_size=4 // world,
        remove_unused_columns=False,
    )
    found = Trainer(Model(), arguments, eval_dataset=Numbers()).evaluate()
    if rank == 0:
        print(
            f"Transformers {transformers.__version__}, {world} ranks: expected eval_loss 3.0, observed {found['eval_loss']}"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for world in (1, 2):
            mp.spawn(main, (world, str(29710 + world), folder), nprocs=world)
