"""NMT in PyTorch in both sizes: model, optimizer and examples."""

import types

import torch
from torch import nn

from benchmarks.peers.workloads import nmt as workloads


class Nmt(nn.Module):
    """A GRU encodes; at each step attention sees its outputs, and the decoder's GRU begins from zeros."""

    def __init__(self, form):
        super().__init__()
        units = form.units
        self.source_table = nn.Embedding(form.source, form.embedding)
        self.encoder = nn.GRU(form.embedding, units, batch_first=True)
        self.target_table = nn.Embedding(form.target, form.embedding)
        self.decoder = nn.GRUCell(form.embedding + units, units)
        self.predict = nn.Linear(units, form.target)
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


def loss(model, source, target):
    """The sum of the words' losses, without padding."""
    logits = model(source, target)
    return nn.functional.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0, reduction="sum"
    )


def _workload(form):
    return types.SimpleNamespace(
        workload=form,
        add_flags=lambda parser: None,
        make_model=lambda: Nmt(form),
        make_optimizer=lambda model, _: torch.optim.Adam(
            model.parameters(), workloads.LEARNING_RATE, eps=workloads.EPSILON, fused=True
        ),
        loss=loss,
        load=lambda arguments, part: form.examples(form, arguments.seed + (part == "test")),
    )


real, small = _workload(workloads.REAL), _workload(workloads.SMALL)
