"""The small BERT in PyTorch: model, optimizer and examples."""

import types

import torch
from torch import nn

from benchmarks.peers.workloads import small_forms

workload = types.SimpleNamespace(NAME="bert_small", NEEDS_DATA=False, ITEM="sequence", BATCH_SIZE_PER_REPLICA=8)
SHAPE = small_forms.BERT
EPSILON = 1e-12


def add_flags(_parser):
    """It has none of its own."""


class Layer(nn.Module):
    """Attention, then a dense network; each is added to its input and normalized."""

    def __init__(self):
        super().__init__()
        hidden = SHAPE.hidden
        self.projections = nn.Linear(hidden, 3 * hidden)
        self.output = nn.Linear(hidden, hidden)
        self.after_attention = nn.LayerNorm(hidden, EPSILON)
        self.inner = nn.Linear(hidden, SHAPE.inner)
        self.outer = nn.Linear(SHAPE.inner, hidden)
        self.after_network = nn.LayerNorm(hidden, EPSILON)

    def forward(self, x, mask):
        parts = self.projections(x).unflatten(-1, (3, SHAPE.heads, -1)).permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(*parts, attn_mask=mask)
        x = self.after_attention(x + self.output(seen.transpose(1, 2).flatten(2)))
        inner = nn.functional.gelu(self.inner(x), approximate="tanh")
        return self.after_network(x + self.outer(inner))


class Bert(nn.Module):
    """Logits of the words to predict, with the table of words, and whether the second sentence follows."""

    def __init__(self):
        super().__init__()
        hidden = SHAPE.hidden
        self.words = nn.Embedding(SHAPE.vocabulary, hidden)
        self.positions = nn.Parameter(torch.zeros(SHAPE.length, hidden))
        self.types = nn.Embedding(2, hidden)
        self.norm = nn.LayerNorm(hidden, EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(SHAPE.layers))
        self.pooler = nn.Linear(hidden, hidden)
        self.following = nn.Linear(hidden, 2)
        self.transform = nn.Linear(hidden, hidden)
        self.transform_norm = nn.LayerNorm(hidden, EPSILON)
        self.word_bias = nn.Parameter(torch.zeros(SHAPE.vocabulary))

    def forward(self, ids, mask, kinds, positions):
        x = self.norm(self.words(ids) + self.positions + self.types(kinds))
        seen = mask.bool()[:, None, None, :]
        for layer in self.layers:
            x = layer(x, seen)
        chosen = torch.take_along_dim(x, positions[..., None], 1)
        chosen = self.transform_norm(nn.functional.gelu(self.transform(chosen), approximate="tanh"))
        following = self.following(torch.tanh(self.pooler(x[:, 0])))
        return chosen @ self.words.weight.T + self.word_bias, following


make_model = Bert


def loss(model, ids, mask, kinds, positions, labels, weights, follows):
    """The sum of the words' losses over their share of the batch's places, and of the sentences' losses.

    Each rank knows its own count of words only, as in public code.
    """
    logits, following = model(ids, mask, kinds, positions)
    words = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
    sentences = nn.functional.cross_entropy(following, follows, reduction="sum")
    return (words * weights.flatten()).sum() / weights.sum() * len(ids) + sentences


def make_optimizer(model, _arguments):
    decayed = [weight for weight in model.parameters() if weight.dim() > 1]
    others = [weight for weight in model.parameters() if weight.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, 0.001, eps=1e-6, fused=True)


def clip(model):
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)


def load(arguments, part):
    return small_forms.bert_examples(arguments.seed + (part == "test"))
