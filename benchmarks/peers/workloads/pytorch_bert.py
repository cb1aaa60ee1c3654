"""BERT in PyTorch in both sizes: model, optimizer and examples."""

import types

import torch
from torch import nn

from benchmarks.peers.workloads import bert as workloads


def make_table(rows, hidden):
    table = nn.Embedding(rows, hidden)
    deviation = workloads.DEVIATION
    nn.init.trunc_normal_(table.weight, std=deviation, a=-2 * deviation, b=2 * deviation)
    return table


def make_norm(hidden):
    return nn.LayerNorm(hidden, workloads.NORM_EPSILON)


class Layer(nn.Module):
    """Attention, then a dense network; each is added to its input and normalized."""

    def __init__(self, form):
        super().__init__()
        hidden = form.hidden
        self.projections = nn.Linear(hidden, 3 * hidden)
        self.output = nn.Linear(hidden, hidden)
        self.after_attention = make_norm(hidden)
        self.inner = nn.Linear(hidden, form.inner)
        self.outer = nn.Linear(form.inner, hidden)
        self.after_network = make_norm(hidden)

    def forward(self, x, mask):
        parts = self.projections(x).unflatten(-1, (3, workloads.HEADS, -1)).permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(*parts, attn_mask=mask)
        x = self.after_attention(x + self.output(seen.transpose(1, 2).flatten(2)))
        inner = nn.functional.gelu(self.inner(x), approximate="tanh")
        return self.after_network(x + self.outer(inner))


class Bert(nn.Module):
    """Logits of the words to predict, with the table of words, and whether the second sentence follows."""

    def __init__(self, form):
        super().__init__()
        hidden = form.hidden
        self.words = make_table(form.vocabulary, hidden)
        self.positions = nn.Parameter(torch.zeros(form.length, hidden))
        self.types = make_table(2, hidden)
        self.norm = make_norm(hidden)
        self.layers = nn.ModuleList(Layer(form) for _ in range(workloads.LAYERS))
        self.pooler = nn.Linear(hidden, hidden)
        self.following = nn.Linear(hidden, 2)
        self.transform = nn.Linear(hidden, hidden)
        self.transform_norm = make_norm(hidden)
        self.word_bias = nn.Parameter(torch.zeros(form.vocabulary))

    def forward(self, ids, mask, kinds, positions):
        x = self.norm(self.words(ids) + self.positions + self.types(kinds))
        seen = mask.bool()[:, None, None, :]
        for layer in self.layers:
            x = layer(x, seen)
        chosen = torch.take_along_dim(x, positions[..., None], 1)
        chosen = self.transform_norm(nn.functional.gelu(self.transform(chosen), approximate="tanh"))
        following = self.following(torch.tanh(self.pooler(x[:, 0])))
        return chosen @ self.words.weight.T + self.word_bias, following


def loss(model, ids, mask, kinds, positions, labels, weights, follows):
    """The sum of the words' losses over their share of the batch's places, and of the sentences' losses.

    Each rank knows its own count of words only, as in public code.
    """
    logits, following = model(ids, mask, kinds, positions)
    words = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
    sentences = nn.functional.cross_entropy(following, follows, reduction="sum")
    return (words * weights.flatten()).sum() / weights.sum() * len(ids) + sentences


def make_optimizer(form, model):
    decayed = [weight for weight in model.parameters() if weight.dim() > 1]
    others = [weight for weight in model.parameters() if weight.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": workloads.WEIGHT_DECAY}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, form.rate, eps=workloads.EPSILON, fused=True)


def make_schedule(form, optimizer):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: workloads.rate(form, step) / form.rate)


def clip(model):
    torch.nn.utils.clip_grad_norm_(model.parameters(), workloads.CLIP_NORM)


def _workload(form):
    return types.SimpleNamespace(
        workload=form,
        add_flags=lambda parser: None,
        make_model=lambda: Bert(form),
        make_optimizer=lambda model, _: make_optimizer(form, model),
        make_schedule=lambda optimizer: make_schedule(form, optimizer),
        clip=clip,
        loss=loss,
        load=lambda arguments, part: form.examples(form, arguments.seed + (part == "test")),
    )


real, small = _workload(workloads.REAL), _workload(workloads.SMALL)
