"""Transformers 5.24: eval_loss over tokens is a mean of batches' means, which training's loss no longer is.

Two batches, of one token that costs 4 and of three that cost 0: each token counts as in training with 4 / 4 = 1;
observed is (4 + 0) / 2 = 2.
"""

import tempfile

import torch
import transformers
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments


class Tokens(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, place):
        return {
            "x": torch.tensor([[4.0, 0.0, 0.0], [0.0, 0.0, 0.0]][place]),
            "labels": torch.tensor([[1, -100, -100], [1, 1, 1]][place]),
        }


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))

    def forward(self, x, labels=None):
        return {"logits": self.weight * x}


def loss(outputs, labels, num_items_in_batch=None):
    return (outputs["logits"] * (labels != -100)).sum() / num_items_in_batch


with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        use_cpu=True,
        report_to="none",
        disable_tqdm=True,
        per_device_eval_batch_size=1,
        remove_unused_columns=False,
        label_names=["labels"],
    )
    found = Trainer(Model(), arguments, eval_dataset=Tokens(), compute_loss_func=loss).evaluate()
print(f"Transformers {transformers.__version__}: expected eval_loss 1.0, observed {found['eval_loss']}")
