"""A testee to start from. It tests a framework of 40 lines that trains a dense layer on several replicas.

    lockstep run --testee="python3 example_testee.py" --area=equivalence

Replace part 1 by your framework, and what the steps in part 2 do by calls of it. Change nothing else in its favor: a
testee contains only code that the framework's own guide shows. Each case that needs a step or an option that is not
here counts as unsupported, and the runner lists these steps.
"""

import contextlib
import math
import sys

from conformance.testees.python import program_steps, protocol, value_steps
from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import LoaderRequest, ModelRequest, TrainingRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.python.testee import Testee

# Part 1: the framework under test. Replace all of this by `import my_framework`.


class DenseLayer:
    """Multiplies rows by a kernel. Each replica has a copy of it."""

    def __init__(self, kernel, replicas):
        self.kernels = [[list(row) for row in kernel] for _ in range(replicas)]


def sum_gradients(kernel, inputs, labels):
    """The gradient of the mean squared error, summed over a replica's examples."""
    gradient = [[0.0] * len(row) for row in kernel]
    for example, label in zip(inputs, labels, strict=True):
        for column, expected in enumerate(label):
            output = sum(value * row[column] for value, row in zip(example, kernel, strict=True))
            for value, row in zip(example, gradient, strict=True):
                row[column] += 2 * (output - expected) * value / len(label)
    return gradient


def all_reduce(tensors):
    """The sum of the replicas' tensors."""
    return [[sum(values) for values in zip(*rows, strict=True)] for rows in zip(*tensors, strict=True)]


def train_step(layer, shares, learning_rate):
    """Descends along the mean over the whole global batch, whatever each replica's share of it is."""
    gradients = [sum_gradients(kernel, *share) for kernel, share in zip(layer.kernels, shares, strict=True)]
    total, examples = all_reduce(gradients), sum(len(inputs) for inputs, _ in shares)
    for kernel in layer.kernels:
        for row, gradient in zip(kernel, total, strict=True):
            row[:] = [weight - learning_rate * slope / examples for weight, slope in zip(row, gradient, strict=True)]


class Loader:
    """Global batches; each replica gets a block of consecutive examples, and the last ones may get fewer."""

    def __init__(self, inputs, labels, batch, replicas, drop_last):
        self.inputs, self.labels, self.batch, self.replicas = inputs, labels, batch, replicas
        self.length = len(inputs) // batch if drop_last else math.ceil(len(inputs) / batch)

    def __iter__(self):
        for first in range(0, self.length * self.batch, self.batch):
            batch = slice(first, first + self.batch)
            inputs, labels = self.inputs[batch], self.labels[batch]
            size = math.ceil(len(inputs) / self.replicas)
            blocks = [slice(replica * size, (replica + 1) * size) for replica in range(self.replicas)]
            yield [(inputs[block], labels[block]) for block in blocks]


# Part 2: the steps of programs, by calls of the framework. Replace the bodies.
# Lockstep's conformance/intents.md says what each step and each argument means.

steps = StepTable(program_steps.steps, value_steps.steps)
NOT_YET = "not written yet"
# Write these next, one after another: each makes more cases answer. Most cases wait for what model.create refuses.
for step in ("train.batches", "train.evaluate", "train.losses", "train.save", "train.resume"):
    steps.unsupported(step, NOT_YET)


@steps.step("model.create")
def create_model(call):
    request = ModelRequest.of(call)
    # Refuse what the framework does not have, with the reason. A program without the option is still answered.
    request.refuse(l2=NOT_YET, ignored=NOT_YET)
    request.refuse_value("over", {"tokens": NOT_YET})
    request.refuse_value("loss", {"sparse_categorical_crossentropy": NOT_YET})
    if len(request.layers) != 1 or request.layers[0].keys() != {"kind", "kernel"}:
        raise Unsupported("it has models of one dense layer without a bias")
    return DenseLayer(request.layers[0]["kernel"], call.testee.replicas)


@steps.step("model.parameters")
def parameters(call):
    return [{"kernel": call.find("of").kernels[0]}]


@steps.step("model.copies")
def copies(call):
    # The weights that each replica really has: the runner checks after every program that they are equal.
    return [[{"kernel": kernel}] for kernel in call.find("of").kernels]


@steps.step("loader.create")
def create_loader(call):
    request = LoaderRequest.of(call)
    request.refuse(weights=NOT_YET, shuffle=NOT_YET, draws=NOT_YET, workers=NOT_YET)
    request.refuse_value("uneven", dict.fromkeys(("pad", "drop"), "its loader splits what does not divide"))
    replicas = call.testee.replicas
    labels = request.labels or [None] * len(request.inputs)
    return Loader(request.inputs, labels, request.global_batch(replicas), replicas, request.drop_last)


@steps.step("loader.elements")
def elements(call):
    return [[inputs or None for inputs, _ in shares] for shares in call.find("of")]


@steps.step("loader.length")
def length(call):
    return call.find("of").length


class Training:
    """A model in training. A framework may have this as its trainer."""

    def __init__(self, layer, learning_rate):
        self.layer, self.learning_rate = layer, learning_rate
        self.epochs = 0  # made so far


@steps.step("train.create")
def create_training(call):
    request = TrainingRequest.of(call)
    options = ("accumulate", "calls", "clip_norm", "momentum", "rates", "sync_batch_norm", "weight_decay")
    request.refuse(**dict.fromkeys(options, NOT_YET))
    request.refuse(find_unused="it finds none", static_graph="it has no graph")
    request.refuse_value("optimizer", dict.fromkeys(("adam", "adamw"), NOT_YET))
    request.refuse_value("precision", dict.fromkeys(("mixed_bfloat16", "mixed_float16"), NOT_YET))
    return Training(call.find("of"), request.learning_rate)


@steps.step("train.epoch")
def epoch(call):
    if call.has("stop_after"):
        raise Unsupported(NOT_YET)
    training, loader = call.find("of"), call.find("loader")
    if not loader.length:
        raise ValueError("the loader has no batch")  # the error that intents.md asks for, InvalidArgument
    # "epochs" is the total, with the epochs of earlier calls and of a training that was resumed.
    while training.epochs < call.integer("epochs", 1):
        for shares in loader:
            train_step(training.layer, shares, training.learning_rate)
        training.epochs += 1


# Part 3: what the framework is, and its replicas.


class Example(Testee):
    name = "example"
    implementation = "Example 1.0"  # your framework's name, and its version as it reports it
    conventions = {}  # {id: value} of Lockstep's conformance/conventions.json where it is not the first value
    steps = steps
    replicas = 1
    # A framework that sets its devices once per process needs forks = True; one with a process per replica is a
    # RankedTestee of conformance/testees/python/ranks.py, and needs no `replicas`.

    @contextlib.contextmanager
    def given(self, given):
        """Around each program: make as many devices as there are replicas, and free them after `yield`."""
        self.replicas = given.get("replicas", 1)  # programs without a strategy have none
        yield {}

    def literal(self, literal, dtype):
        return literal  # numbers or nested lists as a tensor of the framework

    def dtype_of(self, value):
        return "float32"  # a tensor's type

    def plain(self, value):
        return NotImplemented  # a tensor as numbers and lists; NotImplemented for what is no value


if __name__ == "__main__":
    sys.exit(protocol.serve(Example()))
