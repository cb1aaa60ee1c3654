"""A loader of a program: a dataset, and the options of its batches for a Trainer."""

import dataclasses

import numpy as np
import torch
from torch.utils import data

from conformance.testees.torch_ranks.dataset import NO_BUFFER, NO_WEIGHTS

# What a Trainer takes for a token that does not count, and nothing else.
IGNORED = -100


class Examples(data.Dataset):
    """Inputs, and labels where there are some, by the names that a Network has for them."""

    def __init__(self, request, ignored=None):
        request.refuse(weights=NO_WEIGHTS)
        self._draws = request.draws
        self._columns = {"inputs": torch.tensor(request.inputs, dtype=getattr(torch, request.dtype))}
        if request.labels is not None:
            labels = torch.tensor(request.labels)
            is_ignored = labels == (IGNORED if ignored is None else ignored)
            self._columns["labels"] = labels.masked_fill(is_ignored, IGNORED)

    def __getitem__(self, place):
        example = {name: column[place] for name, column in self._columns.items()}
        if self._draws:
            drawn = np.random.random_sample(example["inputs"].shape)
            example["inputs"] = torch.from_numpy(drawn).to(example["inputs"].dtype)
        return example

    def __len__(self):
        return len(self._columns["inputs"])


class Loader:
    """`request` is a LoaderRequest. `read` is what a program reads: a DataLoader that a Trainer made."""

    def __init__(self, request, replicas, is_seeded=False):
        request.refuse(shuffle_buffer=NO_BUFFER)
        self._is_seeded = is_seeded
        self.request = request
        self.share = request.replica_batch(replicas)
        self.read = None
        self.has_epoch = False

    def examples(self, ignored=None):
        """With labels, of which the `ignored` ones are what a Trainer ignores."""
        return Examples(self.request, ignored)

    def inputs(self):
        """Examples without labels."""
        return Examples(dataclasses.replace(self.request, labels=None))

    def options(self):
        """The TrainingArguments that are about batches."""
        seeds = {"seed": self.request.seed} if self.request.draws and self._is_seeded else {}
        return seeds | {
            "dataloader_num_workers": self.request.workers,
            "per_device_train_batch_size": self.share,
            "per_device_eval_batch_size": self.share,
            "dataloader_drop_last": self.request.drop_last or self.request.uneven == "drop",
            "data_seed": self.request.seed,
            "accelerator_config": {"even_batches": self.request.uneven != "keep"},
        }
