"""train.* and train.gather: a jitted step, and loops over a loader's batches."""

import jax
import jax.numpy as jnp

from conformance.testees.jax.intents.training import Training
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import TrainingRequest
from conformance.testees.python.step_table import StepTable

steps = StepTable()

_NO_SCALE = "neither JAX nor optax scales losses: optax can only leave out updates"

steps.unsupported("train.no_sync", "gradients are combined where the compiler has it, in each step")
steps.unsupported("train.join", "an array has equal shards, and one program runs on all devices")
steps.unsupported("train.losses", "neither JAX nor optax has a loop over passes, or metrics")


@steps.step("train.create")
def create(call):
    request = TrainingRequest.of(call)
    request.refuse_value("precision", {"mixed_float16": _NO_SCALE})
    return Training(call.find("of"), request, jax.sharding.get_mesh())


@steps.step("train.batches")
def batches(call):
    training, loader = call.find("of"), call.find("loader")
    for _ in range(call.integer("batches", 1)):
        training.train_on(loader.next_batch())


@steps.step("train.epoch")
def epoch(call):
    training, loader = call.find("of"), call.find("loader")
    stop_after = call.integer("stop_after", None)
    while training.passes < call.integer("epochs", 1):
        for batch in loader.rest_of_pass():
            training.train_on(batch)
            if training.batches == stop_after:
                # intents.md (train.epoch, stop_after)
                training.passes += loader.begins_a_pass
                return
        training.passes += 1


@steps.step("train.gradients")
def gradients(call):
    training = call.find("of")
    frozen = jax.tree.map(lambda _: None, training.model.frozen)
    return [own | others for own, others in zip(training.gradients, frozen)]


@steps.step("train.progress")
def progress(call):
    training = call.find("of")
    what = call.argument("what")
    if what == "optimizer_steps":
        return training.steps_taken
    if what == "learning_rate":
        return training.schedule(training.steps_taken)
    raise Unsupported(_NO_SCALE)


@steps.step("train.evaluate")
def evaluate(call):
    """JAX's documents measure a data set by one call, and so does this."""
    training, model = call.find("of"), call.find("of").model
    batches = list(_pass(call))
    outputs = _predictions(training, batches)
    # https://docs.jax.dev/en/latest/notebooks/Neural_Network_and_Data_Loading.html (accuracy, of all images)
    labels = jnp.concatenate([batch["labels"] for batch in batches])
    functions = {"accuracy": model.accuracy, "count": lambda rows, _: len(rows)}
    chosen = {name: functions[name] for name in call.argument("metrics", [])}
    chosen["loss"] = model.data_loss
    return {name: jax.jit(function)(outputs, labels) for name, function in chosen.items()}


@steps.step("train.predict")
def predict(call):
    return _predictions(call.find("of"), _pass(call))


@steps.step("train.gather")
def gather_examples(call):
    """An array that is divided over the mesh is one array to its program."""
    # intents.md (train.gather)
    return jnp.concatenate([batch["inputs"] for batch in _pass(call)])


def _pass(call):
    """A pass that leaves the loader where training has read it to."""
    return call.find("loader").from_start().rest_of_pass()


def _predictions(training, batches):
    # intents.md (train.predict)
    return jnp.concatenate([training.predict(batch["inputs"]) for batch in batches])
