"""The examples of `loader.create` as a user of PyTorch holds them."""

import random

import numpy as np
import torch
from torch.utils import data

NO_WEIGHTS = "PyTorch's losses weigh classes: of examples a program adds them up itself"
NO_BUFFER = "a sampler orders all of a dataset, and fills no buffer"


def dataset_of(request, label_dtype=None):
    """A dataset of inputs, or of (input, label); `request` is a LoaderRequest.

    Labels are integers where all of them are given so and `label_dtype` says nothing else.
    """
    request.refuse(weights=NO_WEIGHTS, shuffle_buffer=NO_BUFFER)
    columns = [torch.tensor(request.inputs, dtype=getattr(torch, request.dtype))]
    if request.labels is not None:
        columns.append(_labels(request, label_dtype))
    dataset = data.TensorDataset(*columns)
    return Drawing(dataset) if request.draws else dataset


def _labels(request, label_dtype):
    labels = torch.tensor(request.labels)
    return labels if label_dtype is None else labels.to(getattr(torch, label_dtype))


class Drawing(data.Dataset):
    """Draws with NumPy where an example is read, as augmentations do.

    In worker processes too: https://docs.pytorch.org/docs/stable/notes/faq.html (My data loader
    workers return identical random numbers).
    """

    def __init__(self, dataset):
        self._dataset = dataset

    def __getitem__(self, place):
        inputs, *others = self._dataset[place]
        drawn = np.random.random_sample(inputs.shape)
        return torch.from_numpy(drawn).to(inputs.dtype), *others

    def __len__(self):
        return len(self._dataset)


def seeded_like(seed):
    """Options of a DataLoader, as https://docs.pytorch.org/docs/stable/notes/randomness.html has them."""
    generator = torch.Generator()
    generator.manual_seed(seed)
    return {"worker_init_fn": _seed_worker, "generator": generator}


def _seed_worker(worker_id):
    # https://docs.pytorch.org/docs/stable/notes/randomness.html (DataLoader)
    worker_seed = torch.initial_seed() % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)
