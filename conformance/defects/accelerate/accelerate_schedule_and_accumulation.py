"""Accelerate 1.15: a schedule made for all batches does not reach its end under accumulation.

AcceleratedScheduler's docstring: "When performing gradient accumulation scheduler lengths should
not be changed accordingly, Accelerate will always step the scheduler to account for it." What is
counted up is `_step_count` only, which no rate depends on: with windows of 4 the rate stays at a
quarter of its way.
"""

import torch
from accelerate import Accelerator, __version__
from torch.utils.data import DataLoader

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
loader = DataLoader(torch.ones(8, 1))
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=len(loader))
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
for batch in loader:
    with accelerator.accumulate(model):
        accelerator.backward(model(batch).mean())
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
print(f"Accelerate {__version__}: expected a rate of 0.0 after all 8 batches, observed {scheduler.get_last_lr()[0]}")
