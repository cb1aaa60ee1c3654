"""loader.*: DataLoaders that Accelerate prepares."""

from conformance.testees.accelerate.loader import loader_of
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import LoaderRequest
from conformance.testees.python.per_rank import PerRank
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("loader.create")
def create(call):
    return loader_of(LoaderRequest.of(call), call.testee.session, is_seeded=call.has("seed"))


@steps.step("loader.set_epoch")
def set_epoch(call):
    loader = call.find("of")
    if not hasattr(loader.prepared, "set_epoch"):  # since 0.24
        raise Unsupported("its loaders have no number of a pass")
    loader.set_epoch(call.integer("epoch"))


@steps.step("loader.length")
def length(call):
    return len(call.find("of").prepared)


@steps.step("loader.skip")
def skip(call):
    accelerator = call.testee.session.accelerator
    return call.find("of").skipping(accelerator, call.integer("batches"))


@steps.step("loader.elements")
def elements(call):
    return [PerRank(batch[0]) for batch in call.find("of").read_pass()]
