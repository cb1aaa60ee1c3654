"""JAX with Flax, optax, Grain and Orbax, data parallel over a mesh of host devices, as a testee.

    python -m conformance.testees.jax.testee

A replica is a device of the mesh in force. A value that differs by replica is an array
divided over the mesh, and the block of `strategy.run` is a function under shard_map and
jit. Intents are jitted functions of whole arrays, whose work the compiler divides.

Each program runs in a process of its own, forked before JAX has made its devices. Workers
are processes that meet by jax.distributed; the mesh is then of the devices of all, and
a worker observes the part of a divided array that is on its own devices.
"""

import contextlib
import json
import os
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_X64", "1")  # float64 and int64 as programs ask for

import flax
import grain
import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint

from conformance.testees.jax import gradient_steps, input_steps, strategy_steps, unsupported_steps, value_steps
from conformance.testees.jax.intents import checkpoint_steps, loader_steps, model_steps, train_steps
from conformance.testees.jax.per_replica import is_per_replica, mesh_of, own_rows
from conformance.testees.python.tracing import Tracing
from conformance.testees.python import program_steps, protocol, worker_steps
from conformance.testees.python.errors import PYTHON_CLASSES, class_of
from conformance.testees.python.step_table import StepTable
from conformance.testees.python.testee import Testee
from conformance.testees.python.workers import free_addresses

CLASSES = (
    (IndexError, "NotFound"),  # jax.devices()[17]
    (NameError, "FailedPrecondition"),  # a collective outside shard_map
    (UnicodeDecodeError, "DataLoss"),  # what Orbax writes in addition to arrays is JSON
    (json.JSONDecodeError, "DataLoss"),
    *PYTHON_CLASSES,
)


def keep_compiled_programs(folder):
    """Has JAX compile each program once, however many processes run it."""
    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)


class Jax(Testee):
    name = "jax"
    implementation = (
        f"JAX {jax.__version__}, Flax {flax.__version__}, optax {optax.__version__}, "
        f"Grain {grain.__version__}, Orbax {orbax.checkpoint.__version__}"
    )
    conventions = {
        "indivisible_batch": "error",
        "end_of_data": "error",
        "accumulation_tail": "carry",
        "schedule_unit": "optimizer_step",
    }
    forks = True
    workers = 4
    steps = StepTable(
        program_steps.steps,
        worker_steps.steps,
        unsupported_steps.steps,
        strategy_steps.steps,
        input_steps.steps,
        value_steps.steps,
        gradient_steps.steps,
        loader_steps.steps,
        model_steps.steps,
        train_steps.steps,
        checkpoint_steps.steps,
    )

    def __init__(self):
        self.tracing = Tracing()

    @contextlib.contextmanager
    def given(self, given):
        replicas = given.get("replicas", 1)
        jax.config.update("jax_num_cpu_devices", given.get("logical_devices", replicas))
        if given["strategy"] == "default":
            yield {}
            return
        if workers := given.get("workers"):
            number = int(os.environ["LOCKSTEP_WORKER"])
            jax.distributed.initialize(None, workers, number)
        # https://docs.jax.dev/en/latest/multi_process.html (jax.devices)
        mesh = mesh_of(jax.devices()[: (workers or 1) * replicas])
        with jax.set_mesh(mesh):
            yield {"strategy": mesh}

    def worker_environments(self, given):
        (address,) = free_addresses(1)
        coordinator = {"JAX_COORDINATOR_ADDRESS": address}
        workers = range(given["workers"])
        return [coordinator | {"LOCKSTEP_WORKER": str(number)} for number in workers]

    def literal(self, literal, dtype):
        return jnp.asarray(literal, dtype)

    def dtype_of(self, value):
        return value.dtype.name

    def plain(self, value):
        if is_per_replica(value):
            return own_rows(value.stacked).tolist()
        if isinstance(value, jax.core.Tracer):
            return self.tracing.placeholder(value)
        is_array = isinstance(value, jax.Array | np.ndarray | np.generic)
        return value.tolist() if is_array else NotImplemented

    def error_class(self, error):
        if "DATA_LOSS" in f"{error} {error.__cause__}":  # TensorStore's, under Orbax
            return "DataLoss"
        if isinstance(error, RuntimeError) and "nknown backend" in str(error):
            return "InvalidArgument"
        return class_of(error, CLASSES)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="lockstep-jax-") as cache:
        keep_compiled_programs(cache)
        sys.exit(protocol.serve(Jax()))
