"""Transformers 5.24: after training, `predict` uses the buffers of each rank, of which a checkpoint has the first's.

DistributedDataParallel makes the first rank's buffers those of all "in every iteration" (its
docstring), at the beginning of a forward pass. A Trainer predicts and evaluates by the module
itself, so that ranks keep what their own last batch made of a buffer: an example is measured by
which rank it falls to, and none of these but the first is saved.

Expected of a module that takes off its moving mean: the same for the same example.
"""

import os
import tempfile

import torch
import torch.multiprocessing as mp
from torch.utils.data import Dataset


class Numbers(Dataset):
    def __init__(self, numbers):
        self.numbers = numbers

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, place):
        return {"x": torch.tensor(self.numbers[place])}


class Centering(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))
        self.register_buffer("mean", torch.zeros(()))

    def forward(self, x):
        if not self.training:
            return {"logits": x - self.mean}
        self.mean.copy_(x.mean())
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
        logging_strategy="no",
        per_device_train_batch_size=4 // world,
        per_device_eval_batch_size=4 // world,
        num_train_epochs=1,
        learning_rate=0.0,
        remove_unused_columns=False,
        label_names=[],
    )
    trainer = Trainer(Centering(), arguments, train_dataset=Numbers([0.0, 2.0, 2.0, 8.0]))
    trainer.train()
    outputs = trainer.predict(Numbers([4.0] * 4)).predictions.tolist()
    if rank == 0:
        print(
            f"Transformers {transformers.__version__}, {world} ranks: expected four equal numbers, observed {outputs}"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for world in (1, 2):
            mp.spawn(main, (world, str(29740 + world), folder), nprocs=world)
