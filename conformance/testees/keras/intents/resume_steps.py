"""train.save and train.resume: a file of weights and the optimizer's state, by its epoch."""

import os
import re

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable

steps = StepTable()

NAME = "{epoch:04d}.weights.h5"  # as ModelCheckpoint's example names files


@steps.step("train.save")
def save(call):
    _refuse_loader(call)
    training, folder = call.find("of"), call.path(call.argument("folder"))
    os.makedirs(folder, exist_ok=True)
    training.model.save_weights(os.path.join(folder, NAME.format(epoch=training.epoch)))


@steps.step("train.resume")
def resume(call):
    _refuse_loader(call)
    training, folder = call.find("of"), call.path(call.argument("folder"))
    newest = max(os.listdir(folder))
    if not training.model.optimizer.built:  # as BackupAndRestore does
        training.model.optimizer.build(training.model.trainable_variables)
    training.model.load_weights(os.path.join(folder, newest))
    training.epoch = int(re.match(r"\d+", newest)[0])


def _refuse_loader(call):
    if call.has("loader"):
        raise Unsupported("what it saves has no place within an epoch: fit begins an epoch at its start")
