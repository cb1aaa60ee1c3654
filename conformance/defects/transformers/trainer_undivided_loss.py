"""Transformers 4.46.0: with gradient accumulation the losses of an own model are summed.

What a model returns that takes no num_items_in_batch is to be divided by the number of
small batches in a step, and is not. huggingface/transformers#35438; fixed in 4.48.0.
"""

import os
import tempfile

os.environ.update(USE_TF="0", USE_FLAX="0")
import torch
import transformers

DATA = [{"x": 1.0, "labels": 0.0}] * 2


class Line(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.k = torch.nn.Parameter(torch.ones(()))

    def forward(self, x, labels):
        return {"loss": (self.k * x - labels).square().mean()}


def train(size, steps):
    """k after one update."""
    model = Line()
    sgd = torch.optim.SGD(model.parameters(), lr=0.125)
    constant = torch.optim.lr_scheduler.LambdaLR(sgd, lambda step: 1.0)
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            folder,
            per_device_train_batch_size=size,
            gradient_accumulation_steps=steps,
            num_train_epochs=1,
            max_grad_norm=0,
            use_cpu=True,
            report_to="none",
            save_strategy="no",
            disable_tqdm=True,
        )
        trainer = transformers.Trainer(model, arguments, train_dataset=DATA, optimizers=(sgd, constant))
        trainer.train()
    return model.k.item()


print(f"Transformers {transformers.__version__}: ", end="")
print(f"expected k {train(2, 1)}, observed {train(1, 2)}")
