"""Datasets and their distribution: torch.utils.data and DistributedSampler.

A dataset is anything with a length and entries; a batched one is a DataLoader. To
distribute a DataLoader is to give every rank one with a DistributedSampler and the
rank's share of the batch size.
"""

import torch
import torch.distributed as dist
from torch.utils import data
from torch.utils.data.distributed import DistributedSampler

from conformance.testees.python.environment import observation_names
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.per_rank import PerRank, mark
from conformance.testees.python.step_table import StepTable

steps = StepTable()


class Shuffled:
    """A dataset that its sampler shuffles."""

    def __init__(self, dataset, seed, reshuffle):
        self.dataset = dataset
        self.seed = seed
        self.reshuffle = reshuffle

    def __getitem__(self, index):
        return self.dataset[index]

    def __len__(self):
        return len(self.dataset)


class Epochs:
    """A loader whose sampler receives the epoch's number at its beginning."""

    def __init__(self, loader):
        self._loader = loader
        self._epoch = 0

    def __iter__(self):
        self._loader.sampler.set_epoch(self._epoch)
        self._epoch += 1
        return iter(self._loader)


@steps.step("dataset.range")
def range_(call):
    return torch.arange(call.integer("start", 0), call.integer("stop"))


@steps.step("dataset.from_tensors")
def from_tensors(call):
    return [_literal(call, call.argument("value"))]


@steps.step("dataset.from_tensor_slices")
def from_tensor_slices(call):
    rows = _literal(call, call.argument("value"))
    return data.StackDataset(**rows) if isinstance(rows, dict) else rows


@steps.step("dataset.zip")
def zip_(call):
    return data.StackDataset(*(_unbatched(dataset) for dataset in call.find_all("of")))


@steps.step("dataset.repeat")
def repeat(call):
    if not call.has("count"):
        raise Unsupported("what a DistributedSampler draws from has an end")
    return data.ConcatDataset([_unbatched(call.find("of"))] * call.argument("count"))


@steps.step("dataset.take")
def take(call):
    dataset = _unbatched(call.find("of"))
    return data.Subset(dataset, range(min(call.argument("count"), len(dataset))))


@steps.step("dataset.skip")
def skip(call):
    dataset = _unbatched(call.find("of"))
    return data.Subset(dataset, range(call.argument("count"), len(dataset)))


@steps.step("dataset.concatenate")
def concatenate(call):
    return data.ConcatDataset(_unbatched(call.find(name)) for name in ("of", "other"))


@steps.step("dataset.shuffle")
def shuffle(call):
    reshuffle = call.argument("reshuffle_each_iteration", True)
    return Shuffled(_unbatched(call.find("of")), call.argument("seed"), reshuffle)


@steps.step("dataset.batch")
def batch(call):
    return data.DataLoader(
        _unbatched(call.find("of")), batch_size=call.argument("size"), drop_last=call.argument("drop_remainder", False)
    )


@steps.step("dataset.elements")
def elements_of_dataset(call):
    return list(call.find("of"))


@steps.step("strategy.distribute_dataset")
def distribute_dataset(call):
    loader = call.find("of")
    if not isinstance(loader, data.DataLoader):
        raise Unsupported("a rank's DataLoader needs the batch size of the rank")
    # pytorch/examples:imagenet/main.py (args.batch_size = int(args.batch_size / ngpus_per_node))
    own_size, remainder = divmod(loader.batch_size, dist.get_world_size())
    if remainder:
        raise Unsupported("every rank has the same batch size: the global one divides")
    order = {"shuffle": False}
    if is_shuffled := isinstance(loader.dataset, Shuffled):
        order = {"shuffle": True, "seed": loader.dataset.seed}
    own = data.DataLoader(
        loader.dataset,
        batch_size=own_size,
        sampler=DistributedSampler(loader.dataset, drop_last=call.testee.drop_last, **order),
        drop_last=loader.drop_last,
    )
    return Epochs(own) if is_shuffled and loader.dataset.reshuffle else own


@steps.step("strategy.distribute_datasets_from_function")
def distribute_datasets_from_function(call):
    if call.argument("replication", "per_worker") != "per_replica":
        raise Unsupported("every rank makes the dataset that it reads")
    context = {
        "num_input_pipelines": dist.get_world_size(),
        "input_pipeline_id": dist.get_rank(),
        "num_replicas_in_sync": dist.get_world_size(),
    }
    inner = call.inner(**{call.argument("as"): context})
    call.run_block(inner)
    for name in observation_names(call.argument("program")):
        call.environment.observe(name, mark(inner.observations.get(name)))
    return call.result(inner)


@steps.step("input.elements")
def elements(call):
    return [PerRank(element) for element in call.find("of")]


@steps.step("input.batch_sizes")
def batch_sizes(call):
    return [PerRank(_rows(element)) for element in call.find("of")]


@steps.step("input.count_batches")
def count_batches(call):
    # https://docs.pytorch.org/tutorials/advanced/generic_join.html (all-reduces the number of inputs)
    batches = torch.tensor(sum(1 for _ in call.find("of")))
    dist.all_reduce(batches)
    return batches


@steps.step("input.cardinality")
def cardinality(call):
    return len(call.find("of"))


@steps.step("input.for_each")
def for_each(call):
    call.run_for_each(map(PerRank, call.find("of")))


@steps.step("input.iterator")
def iterator(call):
    return iter(call.find("of"))


@steps.step("input.next")
def next_(call):
    return PerRank(next(call.find("of")))


def _literal(call, value):
    if call.dtype() == "string":
        raise Unsupported("a tensor holds no texts")
    if isinstance(value, dict):
        return {key: _literal_rows(call, rows) for key, rows in value.items()}
    return _literal_rows(call, value)


def _literal_rows(call, rows):
    return call.testee.literal(rows, call.dtype())


def _unbatched(dataset):
    if isinstance(dataset, data.DataLoader):
        raise Unsupported("batches are made by a DataLoader, the last thing of all")
    return dataset


def _rows(element):
    while not isinstance(element, torch.Tensor):
        element = next(iter(element.values() if isinstance(element, dict) else element))
    return len(element)
