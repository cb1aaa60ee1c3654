"""Loaders of Lightning: what a Trainer makes of a DataLoader, as a training sees it."""

from conformance.testees.lightning.loader import Loader
from conformance.testees.python.intents import LoaderRequest
from conformance.testees.python.per_rank import PerRank
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("loader.create")
def create(call):
    return Loader(LoaderRequest.of(call), is_seeded=call.has("seed"))


@steps.step("loader.length")
def length(call):
    return call.find("of").length()


@steps.step("loader.elements")
def elements(call):
    return [PerRank(inputs) for inputs in call.find("of").read_pass()]
