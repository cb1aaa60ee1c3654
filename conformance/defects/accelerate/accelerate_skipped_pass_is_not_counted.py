"""Accelerate 1.15: the pass after a skipped one has the skipped one's order again.

The docstring of Accelerator.skip_first_batches has the skipping loader "for the first epoch only",
then the original one for "subsequent epochs". The skipping loader counts the pass, the original
one does not; huggingface/accelerate#4233 reports it.
"""

import torch
from accelerate import Accelerator, DataLoaderConfiguration, __version__
from torch.utils.data import DataLoader

accelerator = Accelerator(cpu=True, dataloader_config=DataLoaderConfiguration(use_seedable_sampler=True, data_seed=1))


def make():
    return accelerator.prepare(DataLoader(torch.arange(6), batch_size=2, shuffle=True))


loader = make()
passes = [[batch.tolist() for batch in loader] for _ in range(2)]
loader = make()
skipping = accelerator.skip_first_batches(loader, 1)
first, second = ([batch.tolist() for batch in each] for each in (skipping, loader))
print(f"Accelerate {__version__}: pass 0 behind its first batch {first} (expected {passes[0][1:]})")
print(f"pass 1: expected {passes[1]}, observed {second}")
