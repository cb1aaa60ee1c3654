"""Cases for every two options of `train.create` and `loader.create` that may be combined.

Two replicas train as one with each option alone, which other cases say. An option that changes nothing
there may still undo another: what a window of gradients or a static graph expects of the next batch. So
each two that may be combined are in at least one case, at most `MOST` in a case. Half precision is not
among them: what it rounds differs between one replica and two, and loss_scale.json has exact numbers.

    ./bazelw run //tools/check_cases:option_pairs              fails where the file is not what this writes
    ./bazelw run //tools/check_cases:option_pairs -- --fix     writes conformance/cases/equivalence/option_pairs.json
"""

import itertools
import os
import sys

from tools import source_tree
from tools.check_cases import case_format

PATH = "conformance/cases/equivalence/option_pairs.json"
MOST = 4
# What each adds to the arguments of its step. With `find_unused` the model has a layer that no batch reaches,
# with `sync_norm` one that normalizes; with `drop_last` the loader has a short batch to drop.
OPTIONS = {
    "accumulate": ("train.create", {"accumulate": 2}),
    "static_graph": ("train.create", {"static_graph": True}),
    "find_unused": ("train.create", {"find_unused": True}),
    "clip_norm": ("train.create", {"clip_norm": 0.25}),
    "rates": ("train.create", {"rates": {"parameter": "rates"}}),
    "momentum": ("train.create", {"optimizer": "sgd", "momentum": 0.5}),
    "adamw": ("train.create", {"optimizer": "adamw", "weight_decay": 0.125}),
    "replica_batch": ("loader.create", {"batch_of": "replica"}),
    "shuffle": ("loader.create", {"shuffle": True, "seed": 10}),
    "drop_last": ("loader.create", {"drop_last": True}),
    "pad": ("loader.create", {"uneven": "pad"}),
    "drop": ("loader.create", {"uneven": "drop"}),
    "keep": ("loader.create", {"uneven": "keep"}),
    "sync_norm": ("train.create", {"sync_batch_norm": True}),
}
# Whether a schedule goes by the replicas' batches is a convention of its own, which schedules.json asks for.
CONVENTION = ("rates", "replica_batch")
RATES = [0.25, 0.125, 0.0625]
# Of a schedule that goes on by a rate for each of two replicas' batches, the rates of the steps.
EVERY_SECOND_RATE = RATES[::2]
# What several libraries do not support: pairs of these have separate cases, so they hide no others.
APART = ("drop", "keep", "sync_norm")
# PyTorch ends with an error there, whatever the other options are.
ALONE = ("accumulate", "static_graph")

LAYERS = [
    {
        "kind": "dense",
        "kernel": [[-0.75, 0.6875, 0.5, -0.5], [0.125, -0.25, 0.25, 0.625]],
        "bias": [0, 0, 0, 0],
        "activation": "tanh",
    },
    {
        "kind": "dense",
        "kernel": [[-0.75, -0.875, 0.625], [-0.125, 0.5, -1], [-0.25, 0.375, -0.5], [0.875, 0.75, -1]],
        "bias": [0, 0, 0],
    },
]
NORMALIZED = [LAYERS[0], {"kind": "batch_normalization", "gamma": [1, 1, 1, 1], "beta": [0, 0, 0, 0]}, LAYERS[1]]
UNUSED = {"kind": "dense", "kernel": [[1, 1, 1]], "used": False}
INPUTS = [
    [-0.5, -1.125],
    [-1.375, 1.625],
    [0.25, 0.75],
    [0.25, -0.5],
    [0.875, 0.25],
    [1.125, 0.625],
    [1.375, -0.25],
    [-1.375, -1.375],
    [0.875, -1.375],
    [0.625, 0.5],
    [-1.75, 1.125],
    [-1.875, 1.5],
    [1.375, -1.125],
    [0.875, 0.875],
    [-1.5, 0.625],
    [-1.5, 1.625],
    [0.5, -1],
    [1.25, 0.5],
]
LABELS = [2, 0, 0, 1, 1, 0, 2, 0, 2, 2, 0, 1, 0, 1, 1, 0, 1, 2]
WHOLE_BATCHES = 16  # of these examples
LITERALS = {
    "network": LAYERS,
    "normalized": NORMALIZED,
    "partly_used": [*LAYERS, UNUSED],
    "normalized_and_partly_used": [*NORMALIZED, UNUSED],
    "inputs": INPUTS[:WHOLE_BATCHES],
    "labels": LABELS[:WHOLE_BATCHES],
    "inputs_and_a_rest": INPUTS,
    "labels_and_a_rest": LABELS,
}
CITES = [
    {"source": "keras_distributed_training", "anchor": "singlehost-multidevice-synchronous-training"},
    {"source": "custom_training", "anchor": "define_the_loss_function"},
]


def may_stand_together(first, second):
    """Whether no argument of a step would have two values, and what is expected does not rest on a convention."""
    if set(CONVENTION) == {first, second}:
        return False
    (step, arguments), (other_step, others) = OPTIONS[first], OPTIONS[second]
    return first != second and (step != other_step or not arguments.keys() & others.keys())


def all_pairs():
    """Every two options that may be combined, in the order of OPTIONS."""
    return [pair for pair in itertools.combinations(OPTIONS, 2) if may_stand_together(*pair)]


def choices():
    """[options]: those of each case; each pair is in one of them."""
    pairs = all_pairs()
    usual = [option for option in OPTIONS if option not in APART]
    found = [list(ALONE)]
    found += _cover([pair for pair in pairs if set(pair) <= set(usual) and pair != ALONE], usual, hides=1)
    for apart in APART:
        found += _cover(
            [(option, apart) for option in usual if may_stand_together(option, apart)], usual + [apart], hides=0
        )
    return found + [list(pair) for pair in pairs if set(pair) <= set(APART)]


def case_of(options):
    """The case of these options, which two replicas train with as one."""
    words = ", ".join(options[:-1]) + " and " + options[-1]
    expect = [{"observation": "start", "equals": _weights(LITERALS[_layers(options)]), **_alone(options)}]
    expect += _same_as_one(options)
    given = {"strategy": "mirrored", "replicas": 2}
    if "replica_batch" in options:
        given["parameters"] = {"batch": 2}
    if "rates" in options:
        given["parameters"] = {"rates": RATES}
    return {
        "id": "equivalence/option_pairs/" + "_with_".join([options[0], "_and_".join(options[1:])]),
        "level": "required",
        "states": "With %s two replicas train as one." % words,
        "cites": CITES,
        "given": given,
        "program": _program(options),
        "expect": expect,
    }


def document():
    """What the file holds."""
    return {
        "topic": "Options of a training and its loader, two by two",
        "literals": LITERALS,
        "cases": [case_of(options) for options in choices()],
    }


def check(root, fix=False):
    """[problem]: one where the file of this tree is not what `document` gives; `fix` writes it."""
    path, generated = os.path.join(root, PATH), case_format.dump(document())
    if fix:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(generated)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            if stream.read() == generated:
                return []
    return ["%s: not what is generated: ./bazelw run //tools/check_cases:option_pairs -- --fix" % PATH]


def _cover(pairs, options, hides):
    """Greedily: each case begins with a pair that is missing and takes in what brings the most others.

    A pair that fails hides the others of its case: one that is in a case already takes `hides` from what
    an option brings.
    """
    missing, found = list(pairs), []
    while missing:
        chosen = list(missing[0])
        while len(chosen) < MOST:
            gains = {
                option: sum(1 if _pair(option, other) in missing else -hides for other in chosen)
                for option in options
                if all(_may_join(option, other) for other in chosen)
            }
            best = max(gains, key=gains.get, default=None)
            if best is None or gains[best] <= 0:
                break
            chosen.append(best)
        found.append(sorted(chosen, key=list(OPTIONS).index))
        missing = [pair for pair in missing if not set(pair) <= set(chosen)]
    return found


def _may_join(option, other):
    return may_stand_together(option, other) and _pair(option, other) != ALONE


def _pair(first, second):
    return tuple(sorted((first, second), key=list(OPTIONS).index))


def _arguments(options, step):
    merged = {}
    for option in options:
        if OPTIONS[option][0] == step:
            merged.update(OPTIONS[option][1])
    return merged


def _layers(options):
    """The name of the model's layers."""
    if "sync_norm" in options:
        return "normalized_and_partly_used" if "find_unused" in options else "normalized"
    return "partly_used" if "find_unused" in options else "network"


def _weights(layers):
    names = ("kernel", "bias", "gamma", "beta")
    return [{name: layer[name] for name in names if name in layer} for layer in layers]


def _program(options):
    rest = "_and_a_rest" if "drop_last" in options else ""
    batch = {"parameter": "batch"} if "replica_batch" in options else 4
    train = {"optimizer": "sgd", **_arguments(options, "train.create")}
    if "rates" not in options:
        train["learning_rate"] = 0.0625 if "adamw" in options else 0.25
    return [
        {
            "let": "model",
            "step": "model.create",
            "layers": {"literal": _layers(options)},
            "loss": "sparse_categorical_crossentropy",
        },
        {"observe": "start", "step": "model.parameters", "of": "model"},
        {
            "let": "loader",
            "step": "loader.create",
            "inputs": {"literal": "inputs" + rest},
            "labels": {"literal": "labels" + rest},
            "batch": batch,
            **_arguments(options, "loader.create"),
        },
        {"let": "training", "step": "train.create", "of": "model", **train},
        {"step": "train.epoch", "of": "training", "loader": "loader", "epochs": 2},
        {"observe": "weights", "step": "model.parameters", "of": "model"},
    ]


def _alone(options):
    """Why no framework confirms what a program observes first, where it has both of these."""
    if "sync_norm" not in options or not {"pad", "drop"} & set(options):
        return {}
    return {
        "no_framework_agrees": "PyTorch's samplers pad or drop, and its SyncBatchNorm requires GPUs",
        "by_hand": "the weights in the program",
    }


def _same_as_one(options):
    """A schedule of the replicas' batches goes N times as fast with N of them: not as one replica's."""
    given = {"replicas": 1}
    if "replica_batch" in options:
        given["parameters"] = {"batch": 4}
    expect = [_same_as(given)]
    if "rates" in options:
        faster = _same_as({"replicas": 1, "parameters": {"rates": EVERY_SECOND_RATE}})
        expect.append({**faster, "departs": {"schedule_unit": "replica_batch"}})
    return expect


def _same_as(given):
    return {"observation": "weights", "same_as": {"given": given}, "tolerance": "rounding"}


if __name__ == "__main__":
    sys.exit(source_tree.run(lambda root: check(root, fix="--fix" in sys.argv[1:])))
