"""train.save and train.resume: Orbax's CheckpointManager, with the place of Grain's iterator."""

import grain
import jax
import orbax.checkpoint as ocp

from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("train.save")
def save(call):
    training = call.find("of")
    items = {"state": ocp.args.StandardSave(training.state), "progress": ocp.args.JsonSave({"passes": training.passes})}
    if call.has("loader"):
        items["loader"] = grain.checkpoint.CheckpointSave(call.find("loader").iterator)
    with ocp.CheckpointManager(call.path(call.argument("folder"))) as manager:
        manager.save(training.batches, args=ocp.args.Composite(**items))


@steps.step("train.resume")
def resume(call):
    training = call.find("of")
    like = jax.tree.map(ocp.utils.to_shape_dtype_struct, training.state)
    items = {"state": ocp.args.StandardRestore(like), "progress": ocp.args.JsonRestore()}
    if call.has("loader"):
        items["loader"] = grain.checkpoint.CheckpointRestore(call.find("loader").iterator)
    with ocp.CheckpointManager(call.path(call.argument("folder"))) as manager:
        found = manager.restore(None, args=ocp.args.Composite(**items))
        training.batches = manager.latest_step()
    training.state = found["state"]
    training.passes = found["progress"]["passes"]
