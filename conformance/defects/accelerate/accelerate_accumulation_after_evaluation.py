"""Accelerate up to 0.18: an evaluation within an epoch ends gradient accumulation.

The end of the loader that is evaluated on is taken for that of the one that is trained
on, to the end of the epoch: from there each batch is a step. huggingface/accelerate#1050;
fixed by 0.20.0.
"""

import torch
from accelerate import Accelerator, __version__
from torch.utils.data import DataLoader

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model, optimizer, training, held = accelerator.prepare(
    model, optimizer, DataLoader(torch.ones(8, 1)), DataLoader(torch.ones(2, 1))
)
steps = 0
for number, batch in enumerate(training):
    with accelerator.accumulate(model):
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        steps += accelerator.sync_gradients
    if number == 1:
        for _ in held:
            pass
print(f"Accelerate {__version__}: expected 4 steps, observed {steps}")
