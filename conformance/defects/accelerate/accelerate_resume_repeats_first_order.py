"""Accelerate 1.15: after load_state a shuffled training sees the order of pass 0 again.

Neither the number of the pass nor the sampler's state is saved for a data set with a length,
though the docs (usage_guides/checkpoint) show load_state and skip_first_batches as all there is
to going on in the middle of a pass. huggingface/accelerate#2016, #2823, #3242 (open).
Examples are so trained on twice, others not at all.
"""

import tempfile

import torch
from accelerate import Accelerator, DataLoaderConfiguration, __version__
from torch.utils.data import DataLoader


def make():
    accelerator = Accelerator(
        cpu=True, dataloader_config=DataLoaderConfiguration(use_seedable_sampler=True, data_seed=1)
    )
    return accelerator, accelerator.prepare(DataLoader(torch.arange(6), batch_size=2, shuffle=True))


def read(loader):
    return [batch.tolist() for batch in loader]


accelerator, loader = make()
passes = [read(loader) for _ in range(3)]
accelerator, loader = make()
read(loader)
with tempfile.TemporaryDirectory() as folder:
    for _batch in loader:
        accelerator.save_state(folder)  # after the first batch of pass 1
        break
    accelerator, loader = make()
    accelerator.load_state(folder)
    skipping = accelerator.skip_first_batches(loader, 1)
    rest, following = read(skipping), read(loader)
print(f"Accelerate {__version__}: uninterrupted passes {passes}")
print(f"rest of pass 1: expected {passes[1][1:]}, observed {rest}")
print(f"pass 2: expected {passes[2]}, observed {following}")
