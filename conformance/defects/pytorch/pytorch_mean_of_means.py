"""PyTorch: DistributedDataParallel averages over ranks, however many tokens each of them had.

Each rank's loss is the mean over its own tokens, as CrossEntropyLoss with ignore_index has it. By
design the mean of these is taken; the docstring of DistributedDataParallel speaks of equal batches,
with losses "averaged as usual", and says why: "because the gradients between different nodes are
averaged". Expected of one replica: each token counts the same. Observed: a token of the rank that has
fewer counts more. Of a rank without any the loss is 0 / 0, NaN; its gradient is 0, and halves the
other's.
"""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.functional import cross_entropy

INPUTS = torch.tensor([[[2.0], [2.0], [2.0], [2.0]], [[6.0], [6.0], [6.0], [6.0]]])
LABELS = {
    "3 and 1 tokens": torch.tensor([[0, 0, 0, -1], [0, -1, -1, -1]]),
    "4 and 0 tokens": torch.tensor([[0, 0, 0, 0], [-1, -1, -1, -1]]),
}


def step(model, inputs, labels):
    """A step of SGD; gives the loss and the first weight."""
    torch.nn.init.zeros_(model.get_parameter("module.weight"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loss = cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), ignore_index=-1)
    loss.backward()
    optimizer.step()
    return loss.item(), model.get_parameter("module.weight")[0].item()


def main(rank, world, port):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    dist.init_process_group("gloo", rank=rank, world_size=world)
    for name, labels in LABELS.items():
        linear = torch.nn.Linear(1, 2, bias=False)
        model = torch.nn.parallel.DistributedDataParallel(linear)
        own = slice(rank, None, world)
        loss, weight = step(model, INPUTS[own], labels[own])
        expected = {"3 and 1 tokens": 0.75, "4 and 0 tokens": 0.5}[name]
        print(
            f"PyTorch {torch.__version__}, {name}, rank {rank} of {world}: its loss {loss:.4f}; "
            f"weight, expected {expected}, observed {weight}\n",
            end="",
            flush=True,
        )
    dist.destroy_process_group()


if __name__ == "__main__":
    for world in (1, 2):
        mp.spawn(main, (world, str(29520 + world)), nprocs=world)
