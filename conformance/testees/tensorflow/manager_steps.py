"""manager.*: tf.train.CheckpointManager."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("manager.create")
def create(call):
    def initialize():
        call.run_block(call.inner())

    return tf.train.CheckpointManager(
        call.find("of"),
        call.path(call.argument("folder")),
        max_to_keep=call.integer("max_to_keep", None),
        checkpoint_name=call.argument("checkpoint_name", "ckpt"),
        step_counter=call.find("step_counter", None),
        checkpoint_interval=call.integer("checkpoint_interval", None),
        init_fn=initialize if call.has("program") else None,
    )


def relative(call, path):
    return path and call.relative(path)


@steps.step("manager.save")
def save(call):
    number = call.integer("checkpoint_number", None)
    return relative(call, call.find("of").save(checkpoint_number=number))


@steps.step("manager.restore_or_initialize")
def restore_or_initialize(call):
    return relative(call, call.find("of").restore_or_initialize())


@steps.step("manager.latest_checkpoint")
def latest_checkpoint(call):
    return relative(call, call.find("of").latest_checkpoint)


@steps.step("manager.checkpoints")
def checkpoints(call):
    return [call.relative(path) for path in call.find("of").checkpoints]
