"""strategy.reduce: what Accelerate combines over its processes outside a training."""

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.per_rank import PerRank, local_part
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("strategy.distribute_values")
def distribute_values(call):
    own = call.argument("values")[call.testee.session.accelerator.process_index]
    return PerRank(call.testee.literal(own, call.dtype()))


@steps.step("strategy.num_replicas_in_sync")
def num_replicas_in_sync(call):
    return call.testee.session.accelerator.num_processes


@steps.step("strategy.reduce")
def reduce_(call):
    if call.has("axis"):
        raise Unsupported("its reduce goes entry by entry only")
    own, op = local_part(call.value("of")), call.argument("op")
    return call.testee.session.accelerator.reduce(own, reduction=op.lower())
