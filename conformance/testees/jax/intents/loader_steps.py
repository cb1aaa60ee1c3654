"""loader.*: Grain's datasets, whose global batches are arrays divided over the mesh."""

import jax

from conformance.testees.jax.intents.loader import loader_of
from conformance.testees.jax.per_replica import on_each_device
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import LoaderRequest
from conformance.testees.python.step_table import StepTable

steps = StepTable()

_EQUAL_SHARDS = "the shards of an array are equal: it is refused unless its rows divide"


@steps.step("loader.create")
def create(call):
    request = LoaderRequest.of(call)
    request.refuse_value(
        "uneven",
        {
            "pad": "Grain fills a batch with one value, not with examples",
            "drop": "Grain leaves out a last batch that is not full, or nothing of it",
            "keep": _EQUAL_SHARDS,
        },
    )
    request.refuse(shuffle_buffer="Grain shuffles all examples, or those of a window, and moves no buffer")
    if jax.process_count() > 1:
        raise Unsupported("on several processes Grain leaves it to the program what each reads")
    return loader_of(request, jax.sharding.get_mesh(), is_seeded=call.has("seed"))


@steps.step("loader.set_epoch")
def set_epoch(call):
    call.find("of").go_to_pass(call.integer("epoch"))


@steps.step("loader.length")
def length(call):
    return len(call.find("of"))


@steps.step("loader.skip")
def skip(call):
    return call.find("of").skipped(call.integer("batches"))


@steps.step("loader.elements")
def elements(call):
    batches = call.find("of").rest_of_pass()
    return [on_each_device(batch["inputs"]) for batch in batches]
