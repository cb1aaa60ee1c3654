"""Transformers 5.24 with Accelerate 1.15: once a model was evaluated, ranks train apart.

The documents of Trainer (docs/transformers/main_classes/trainer) have evaluate() and train() as calls
of one object, in no order, and "supports distributed training". Before a training evaluate() has
Accelerate prepare the model with evaluation_mode, so without DistributedDataParallel, and Accelerate
marks it as prepared: train(), of this Trainer or another, then gets the model back as it is. Each rank
learns from its own examples alone; no error, no warning. Accelerate 1.13 marks no model and trains as one:
it is since huggingface/accelerate#3977, which keeps a model from being wrapped twice.
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
        return {"x": torch.tensor([1.0, 3.0][place])}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return {"loss": (self.weight * x).mean()}


def main(rank, world, port, folder):
    os.environ.update(
        RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=port
    )
    import accelerate
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
        learning_rate=1.0,
        max_grad_norm=0.0,
        optim="sgd",
        logging_strategy="no",
        remove_unused_columns=False,
        label_names=[],
    )
    for measured in ("by none", "by this Trainer", "by another Trainer"):
        model = Model()
        trainer = Trainer(model, arguments, train_dataset=Numbers(), eval_dataset=Numbers())
        if measured == "by this Trainer":
            trainer.evaluate()
        if measured == "by another Trainer":
            Trainer(model, arguments, eval_dataset=Numbers()).evaluate()
        trainer.train()
        weights = [model.weight.item()]
        if world > 1:
            weights = [None] * world
            torch.distributed.all_gather_object(weights, model.weight.item())
        if rank == 0:
            print(
                f"Transformers {transformers.__version__}, Accelerate {accelerate.__version__}, {world} ranks, "
                f"evaluated before {measured}: expected -2.0 on each, observed {weights}",
                flush=True,
            )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for world in (1, 2):
            mp.spawn(main, (world, str(29740 + world), folder), nprocs=world)
