"""loader.* of libraries whose loaders are DataLoaders, with a DistributedSampler if need be."""

from torch.utils.data.distributed import DistributedSampler

from conformance.testees.python.per_rank import PerRank
from conformance.testees.python.step_table import StepTable

steps = StepTable()


def number_pass(loader, number):
    """Gives the sampler the next epoch's number, as PyTorch's documents require of users."""
    if isinstance(loader.sampler, DistributedSampler):
        loader.sampler.set_epoch(number)


@steps.step("loader.set_epoch")
def set_epoch(call):
    number_pass(call.find("of"), call.integer("epoch"))


@steps.step("loader.length")
def length(call):
    return len(call.find("of"))


@steps.step("loader.elements")
def elements(call):
    loader = call.find("of")
    batches = [PerRank(inputs) for inputs, *_ in loader]
    number_pass(loader, getattr(loader.sampler, "epoch", 0) + 1)
    return batches
