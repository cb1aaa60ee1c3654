"""Transformers 5.24: the logged loss of a pass is the mean over steps, whatever batches they had.

Three batches of losses 0, 0 and 6 in windows of two: the pass logs (0 + 6) / 2 = 3, the mean over its
examples is 2. The same for a last batch that is smaller.
"""

import tempfile

import torch
import transformers
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments


class Numbers(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, place):
        return {"x": torch.tensor([0.0, 0.0, 6.0][place])}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))

    def forward(self, x):
        return {"loss": (self.weight * x).mean()}


with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        use_cpu=True,
        report_to="none",
        disable_tqdm=True,
        save_strategy="no",
        per_device_train_batch_size=1,
        gradient_accumulation_steps=2,
        num_train_epochs=1,
        train_sampling_strategy="sequential",
        learning_rate=0.0,
        logging_strategy="epoch",
        remove_unused_columns=False,
        label_names=[],
    )
    trainer = Trainer(Model(), arguments, train_dataset=Numbers())
    trainer.train()
logged = [logs["loss"] for logs in trainer.state.log_history if "loss" in logs]
print(f"Transformers {transformers.__version__}: expected a loss of 2.0, observed {logged[0]}")
