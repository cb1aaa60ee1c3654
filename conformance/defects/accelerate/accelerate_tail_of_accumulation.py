"""Accelerate 1.15: the last window of a pass, when it is short, is divided by the full window.

Three batches in windows of two: the step of the third is half as long as its gradient. By the
docs (usage_guides/gradient_accumulation) the Accelerator "will automatically know whether to step
through the prepared optimizer and how to adjust the loss"; the third batch alone should count as
the mean of the batches of its step.
"""

import torch
from accelerate import Accelerator, __version__
from torch.utils.data import DataLoader

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.zeros_(model.weight)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(torch.ones(3, 1)))
for batch in loader:
    with accelerator.accumulate(model):
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
print(f"Accelerate {__version__}: expected -2.0 (two steps of the mean gradient 1), observed {model.weight.item()}")
