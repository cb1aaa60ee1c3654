"""Gradient accumulation as docs/notes/amp_examples has it, on passes that do not divide by the window:
what a pass leaves over is added to a full window of the next, and divided by one window."""

import torch

weight = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([weight], lr=1.0)
iters_to_accumulate, data = 2, [1.0, 1.0, 1.0]
for epoch in range(2):
    for i, x in enumerate(data):
        loss = weight * x / iters_to_accumulate
        loss.backward()
        if (i + 1) % iters_to_accumulate == 0:
            print("epoch", epoch, "batch", i, "gradient", weight.grad.item(), "(every batch's is 1)")
            optimizer.step()
            optimizer.zero_grad()
