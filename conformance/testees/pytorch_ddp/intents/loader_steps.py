"""Loaders: a DataLoader over a DistributedSampler, which receives the number of each epoch.

Where nothing may be added or left out, over a data pipe instead, which the DataLoader shards
over the ranks.
"""

import numpy as np
import torch
import torch.distributed as dist
from torch.utils import data
from torch.utils.data.datapipes.iter import IterableWrapper
from torch.utils.data.distributed import DistributedSampler

from conformance.testees.python.intents import LoaderRequest
from conformance.testees.python.per_rank import PerRank
from conformance.testees.python.step_table import StepTable
from conformance.testees.torch_ranks.dataset import dataset_of, seeded_like

steps = StepTable()


class Loader:
    """This rank's DataLoader, and where a program's loop is in its pass."""

    def __init__(self, batches, sampler=None):
        self._batches = batches
        self._sampler = sampler
        self._epoch = None  # of the next epoch; not set by a program yet
        self._pass = iter(())

    def __len__(self):
        return len(self._batches)

    def set_epoch(self, epoch):
        self._epoch = epoch

    def begin(self, epoch=0):
        """A new epoch, of this number unless a program set another: (place, batch) each."""
        number = epoch if self._epoch is None else self._epoch
        if self._sampler is not None:
            self._sampler.set_epoch(number)
        self._epoch = number + 1
        self._pass = enumerate(self._batches)
        return self._pass

    def next(self, epoch=0):
        """(place, batch) where the last pass stopped, or of a new pass."""
        found = next(self._pass, None)
        return next(self.begin(epoch)) if found is None else found


@steps.step("loader.create")
def create(call):
    request = LoaderRequest.of(call)
    options = {"batch_size": request.replica_batch(dist.get_world_size()), "drop_last": request.drop_last}
    options["num_workers"] = request.workers
    if request.draws and call.has("seed"):
        torch.manual_seed(request.seed)
        np.random.seed(request.seed)
        options |= seeded_like(request.seed)
    dataset = dataset_of(request)
    if request.uneven == "keep":
        request.refuse(shuffle="a data pipe that is sharded receives no epoch")
        return Loader(data.DataLoader(IterableWrapper(dataset).sharding_filter(), **options))
    unasked = call.testee.drop_last or request.drop_last
    drops = {"default": unasked, "pad": False, "drop": True}[request.uneven]
    sampler = DistributedSampler(dataset, shuffle=request.shuffle, seed=request.seed, drop_last=drops)
    return Loader(data.DataLoader(dataset, sampler=sampler, **options), sampler)


@steps.step("loader.set_epoch")
def set_epoch(call):
    call.find("of").set_epoch(call.integer("epoch"))


@steps.step("loader.length")
def length(call):
    return len(call.find("of"))


@steps.step("loader.elements")
def elements(call):
    return [PerRank(inputs) for _, (inputs, *_) in call.find("of").begin()]
