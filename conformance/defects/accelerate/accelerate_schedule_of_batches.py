"""Accelerate up to 0.15: with gradient accumulation a schedule goes on with every batch.

A scheduler that was prepared is to leave out what is no step of the optimizer, and looks
at the optimizer alone, which says that it took one. huggingface/accelerate#963 and #999;
fixed in 0.16.0, which beside PyTorch 2 prepares no scheduler at all (#1140).
"""

import torch
from accelerate import Accelerator, __version__
from torch.utils.data import DataLoader

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
halving = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
model, optimizer, halving, loader = accelerator.prepare(model, optimizer, halving, DataLoader(torch.ones(4, 1)))
for batch in loader:
    with accelerator.accumulate(model):
        accelerator.backward(model(batch).mean())
        optimizer.step()
        halving.step()
        optimizer.zero_grad()
rate = halving.get_last_lr()[0]
print(f"Accelerate {__version__}: expected 0.25 behind 2 steps, observed {rate}")
