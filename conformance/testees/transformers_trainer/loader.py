"""A loader of a program: a dataset, and what a Trainer is told of its batches."""

import dataclasses

import numpy as np
import torch
from torch.utils import data

from conformance.testees.torch_ranks.dataset import NO_BUFFER, NO_WEIGHTS

# What a Trainer takes for a token that does not count, and nothing else.
IGNORED = -100


class Examples(data.Dataset):
    """Inputs, and labels where there are some, by the names that a Network has for them."""

    def __init__(self, wish, ignored=None):
        wish.refuse(weights=NO_WEIGHTS)
        self._draws = wish.draws
        self._columns = {"inputs": torch.tensor(wish.inputs, dtype=getattr(torch, wish.dtype))}
        if wish.labels is not None:
            labels = torch.tensor(wish.labels)
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
    """`wish` is a LoaderWish. `read` is what a program reads: a DataLoader that a Trainer made."""

    def __init__(self, wish, replicas, is_seeded=False):
        wish.refuse(shuffle_buffer=NO_BUFFER)
        self._is_seeded = is_seeded
        self.wish = wish
        self.share = wish.replica_batch(replicas)
        self.read = None
        self.has_epoch = False

    def examples(self, ignored=None):
        """With labels, of which the `ignored` ones are what a Trainer ignores."""
        return Examples(self.wish, ignored)

    def inputs(self):
        """Examples without labels."""
        return Examples(dataclasses.replace(self.wish, labels=None))

    def options(self):
        """The TrainingArguments that are about batches."""
        seeds = {"seed": self.wish.seed} if self.wish.draws and self._is_seeded else {}
        return seeds | {
            "dataloader_num_workers": self.wish.workers,
            "per_device_train_batch_size": self.share,
            "per_device_eval_batch_size": self.share,
            "dataloader_drop_last": self.wish.drop_last or self.wish.uneven == "drop",
            "data_seed": self.wish.seed,
            "accelerator_config": {"even_batches": self.wish.uneven != "keep"},
        }
