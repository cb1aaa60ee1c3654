"""The model, the optimizer and the ratings of ncf in PyTorch."""

import torch
from torch import nn

from benchmarks.peers.workloads import ncf as workload


def add_flags(_parser):
    """It has none of its own."""


class Ncf(nn.Module):
    """A table for users and one for items, whose first columns are factors."""

    def __init__(self, users=workload.USERS, items=workload.ITEMS):
        super().__init__()
        width = workload.FACTORS + workload.LAYERS[0] // 2
        self.users = nn.Embedding(users, width)
        self.items = nn.Embedding(items, width)
        sizes = zip(workload.LAYERS, workload.LAYERS[1:])
        self.layers = nn.Sequential(
            *(layer for inputs, outputs in sizes for layer in (nn.Linear(inputs, outputs), nn.ReLU()))
        )
        self.rating = nn.Linear(workload.FACTORS + workload.LAYERS[-1], 1)
        for table in (self.users, self.items):
            nn.init.xavier_uniform_(table.weight)

    def forward(self, users, items):
        user, item = self.users(users), self.items(items)
        factors = workload.FACTORS
        inner = self.layers(torch.cat([user[:, factors:], item[:, factors:]], 1))
        product = user[:, :factors] * item[:, :factors]
        return self.rating(torch.cat([product, inner], 1))[:, 0]


make_model = Ncf


def loss(model, users, items, labels, weights=None):
    """The sum of the examples' losses."""
    logits = model(users, items).float()
    return nn.functional.binary_cross_entropy_with_logits(logits, labels, weights, reduction="sum")


def make_optimizer(model, _arguments):
    return torch.optim.Adam(
        model.parameters(), workload.LEARNING_RATE, workload.BETAS, workload.EPSILON, fused=True
    )


def load(arguments, part):
    """Users, items and labels, as NumPy arrays; part is "train" or "test"."""
    return workload.make_ratings(workload.RATINGS, seed=arguments.seed + (part == "test"))
