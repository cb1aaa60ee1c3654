"""Accelerate since 0.25: the pass after a skipped one has its order again.

A seedable sampler goes by the number of the pass, which skip_first_batches counts on a loader of its own: the
loader that goes on is not informed. Up to 0.24 the order comes from a generator, which goes
on by itself. Near huggingface/accelerate#4071, which fixes the order of the skipped pass; #4233.
"""

import inspect

import accelerate
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader

options = {}
if config := getattr(accelerate, "DataLoaderConfiguration", None):  # since 0.27
    options["dataloader_config"] = config(use_seedable_sampler=True)
elif "use_seedable_sampler" in inspect.signature(Accelerator).parameters:  # since 0.25
    options["use_seedable_sampler"] = True
set_seed(1)
accelerator = Accelerator(cpu=True, **options)
loader = accelerator.prepare(DataLoader(torch.arange(64), batch_size=4, shuffle=True))
skipped = [batch.tolist() for batch in accelerator.skip_first_batches(loader, 1)]
following = [batch.tolist() for batch in loader]
observed = "the same" if following[1:] == skipped else "another"
print(f"Accelerate {accelerate.__version__}: expected another order, observed {observed}")
