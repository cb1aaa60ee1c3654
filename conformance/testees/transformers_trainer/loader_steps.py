"""loader.*: datasets, of which a Trainer makes loaders."""

from torch import nn

from conformance.testees.python.intents import LoaderRequest
from conformance.testees.python.per_rank import PerRank
from conformance.testees.python.step_table import StepTable
from conformance.testees.transformers_trainer.loader import Loader
from conformance.testees.transformers_trainer.trainers import trainer_of

steps = StepTable()


@steps.step("loader.create")
def create(call):
    return Loader(LoaderRequest.of(call), call.testee.replicas, is_seeded=call.has("seed"))


@steps.step("loader.set_epoch")
def set_epoch(call):
    loader = call.find("of")
    _read_by_trainer(call).set_epoch(call.integer("epoch"))
    loader.has_epoch = True


@steps.step("loader.length")
def length(call):
    return len(_read_by_trainer(call))


@steps.step("loader.elements")
def elements(call):
    return [PerRank(batch["inputs"]) for batch in _read_by_trainer(call)]


def _read_by_trainer(call):
    """What a Trainer reads when it trains on these; any model does."""
    loader = call.find("of")
    if loader.read is None:
        trainer = trainer_of(nn.Linear(1, 1), loader, call.path("trainer"), train_dataset=loader.examples())
        loader.read = trainer.get_train_dataloader()
    return loader.read
