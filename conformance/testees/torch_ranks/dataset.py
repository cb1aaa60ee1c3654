"""The examples of `loader.create` as a user of PyTorch holds them."""

import torch
from torch.utils import data

NO_WEIGHTS = "PyTorch's losses weigh classes: of examples a program adds them up itself"
NO_BUFFER = "a sampler orders all of a dataset, and fills no buffer"


def dataset_of(wish, label_dtype=None):
    """A dataset of inputs, or of (input, label); `wish` is a LoaderWish.

    Labels are integers where all of them are given so and `label_dtype` says nothing else.
    """
    wish.refuse(weights=NO_WEIGHTS, shuffle_buffer=NO_BUFFER)
    inputs = torch.tensor(wish.inputs, dtype=getattr(torch, wish.dtype))
    if wish.labels is None:
        return data.TensorDataset(inputs)
    labels = torch.tensor(wish.labels)
    if label_dtype is not None:
        labels = labels.to(getattr(torch, label_dtype))
    return data.TensorDataset(inputs, labels)
