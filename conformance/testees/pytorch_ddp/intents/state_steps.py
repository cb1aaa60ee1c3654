"""What a training goes on from: torch.save of all state dicts, by the first rank."""

import os

import torch
import torch.distributed as dist

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable

steps = StepTable()

FILE = "checkpoint.pt"
COUNTERS = ("passes", "batches", "windows", "steps")


@steps.step("train.save")
def save(call):
    _refuse_place_of(call)
    folder = call.path(call.argument("folder"))
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
        torch.save(_state_of(call.find("of")), os.path.join(folder, FILE))
    dist.barrier()  # no rank reads before the first has written


@steps.step("train.resume")
def resume(call):
    _refuse_place_of(call)
    training = call.find("of")
    state = torch.load(os.path.join(call.path(call.argument("folder")), FILE))
    dist.barrier()  # no rank writes there again before all have read
    for name, part in _parts_of(training).items():
        part.load_state_dict(state[name])
    for name in COUNTERS:
        setattr(training, name, state[name])


def _refuse_place_of(call):
    if call.has("loader"):
        raise Unsupported("a DataLoader has no state: torchdata's is a library of its own")


def _state_of(training):
    state = {name: part.state_dict() for name, part in _parts_of(training).items()}
    return state | {name: getattr(training, name) for name in COUNTERS}


def _parts_of(training):
    return {
        "model": training.module,
        "optimizer": training.optimizer,
        "schedule": training.schedule,
        "scaler": training.scaler,
    }
