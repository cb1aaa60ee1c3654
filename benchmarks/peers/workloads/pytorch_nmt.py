"""The small NMT in PyTorch: model, optimizer and examples."""

import types

import torch
from torch import nn

from benchmarks.peers.workloads import small_forms

workload = types.SimpleNamespace(NAME="nmt_small", NEEDS_DATA=False, ITEM="pair", BATCH_SIZE_PER_REPLICA=8)
SHAPE = small_forms.NMT


def add_flags(_parser):
    """It has none of its own."""


class Nmt(nn.Module):
    """A GRU encodes; at each step attention sees its outputs, and the decoder's GRU begins from zeros."""

    def __init__(self):
        super().__init__()
        units = SHAPE.units
        self.source_table = nn.Embedding(SHAPE.source, SHAPE.embedding)
        self.encoder = nn.GRU(SHAPE.embedding, units, batch_first=True)
        self.target_table = nn.Embedding(SHAPE.target, SHAPE.embedding)
        self.decoder = nn.GRUCell(SHAPE.embedding + units, units)
        self.predict = nn.Linear(units, SHAPE.target)
        self.w1, self.w2, self.v = nn.Linear(units, units), nn.Linear(units, units), nn.Linear(units, 1)

    def forward(self, source, target):
        outputs, state = self.encoder(self.source_table(source))
        state, keys, logits = state[0], self.w1(outputs), []
        words = self.target_table(target[:, :-1])
        for t in range(words.shape[1]):
            scores = self.v(torch.tanh(keys + self.w2(state)[:, None]))
            context = (scores.softmax(1) * outputs).sum(1)
            state = self.decoder(torch.cat([context, words[:, t]], 1))
            logits.append(self.predict(state))
        return torch.stack(logits, 1)


make_model = Nmt


def loss(model, source, target):
    """The sum of the words' losses, without padding."""
    logits = model(source, target)
    return nn.functional.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0, reduction="sum"
    )


def make_optimizer(model, _arguments):
    return torch.optim.Adam(model.parameters(), 0.001, eps=1e-7, fused=True)


def load(arguments, part):
    return small_forms.nmt_examples(arguments.seed + (part == "test"))
