"""Accelerate 1.15: a checkpoint inside a window of accumulated gradients loses a part of the step.

save_state keeps the number of the batch in the window, and not the gradients: the step that is
taken after load_state has the gradients of the later batches only, divided by the whole window.
"""

import tempfile

import torch
from accelerate import Accelerator, __version__
from torch.utils.data import DataLoader


def make():
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    loader = DataLoader(torch.ones(4, 1), batch_size=1)
    return accelerator, *accelerator.prepare(model, optimizer, loader)


def train(accelerator, model, optimizer, batch):
    with accelerator.accumulate(model):
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()


accelerator, model, optimizer, loader = make()
for batch in loader:
    train(accelerator, model, optimizer, batch)
whole = model.weight.item()
with tempfile.TemporaryDirectory() as folder:
    accelerator, model, optimizer, loader = make()
    for batch in loader:
        train(accelerator, model, optimizer, batch)
        accelerator.save_state(folder)
        break
    accelerator, model, optimizer, loader = make()
    accelerator.load_state(folder)
    for batch in accelerator.skip_first_batches(loader, 1):
        train(accelerator, model, optimizer, batch)
print(f"Accelerate {__version__}: expected {whole} as without an interruption, observed {model.weight.item()}")
