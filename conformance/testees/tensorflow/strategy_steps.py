"""strategy.* and collective.*: tf.distribute.MirroredStrategy and its replicas."""

import tensorflow as tf

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable
from conformance.testees.tensorflow.distributed import Distributed, Input, unwrap

steps = StepTable()


def given_strategy(given):
    """What a program is run under; several workers find each other by TF_CONFIG."""
    if given["strategy"] == "multi_worker_mirrored":
        return tf.distribute.MultiWorkerMirroredStrategy()
    devices = [f"CPU:{index}" for index in range(given["replicas"])]
    return tf.distribute.MirroredStrategy(devices)


def check_workers(given):
    if given["replicas"] > 1:
        reason = "it makes one replica a worker of CPUs, however many there are"
        raise Unsupported(reason, "strategy.create")


@steps.step("strategy.create")
def create(call):
    return tf.distribute.MirroredStrategy(call.argument("devices", None))


@steps.step("strategy.tpu_pod")
def tpu_pod(call):
    """No machine with TPUs has run this."""
    if not tf.config.list_physical_devices("TPU"):
        raise Unsupported("TPUStrategy requires TPUs, and this machine has none", "strategy.tpu_pod")
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver("")
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    strategy = tf.distribute.TPUStrategy(resolver)
    hosts, cores = call.argument("hosts"), call.argument("cores_per_host")
    # operations.md (strategy.tpu_pod): a pod of this shape
    if strategy.num_replicas_in_sync != hosts * cores:
        reason = f"TPUStrategy takes all cores, which are {strategy.num_replicas_in_sync} here"
        raise Unsupported(reason, "strategy.tpu_pod")
    return strategy


@steps.step("strategy.scope")
def scope(call):
    with call.find("of").scope():
        call.run_block_here()


@steps.step("strategy.num_replicas_in_sync")
def num_replicas_in_sync(call):
    return call.find("of", tf.distribute.get_strategy()).num_replicas_in_sync


@steps.step("strategy.logical_devices")
def logical_devices(call):
    devices = tf.config.list_logical_devices("CPU")
    return [device.name.removeprefix("/device:") for device in devices]


@steps.step("strategy.context")
def context(call):
    replica = tf.distribute.get_replica_context()
    in_sync = tf.distribute.get_strategy().num_replicas_in_sync
    replica_id = None
    if replica is not None:
        replica_id = tf.cast(replica.replica_id_in_sync_group, tf.float32)
    return {
        "has_strategy": tf.distribute.has_strategy(),
        "in_cross_replica_context": tf.distribute.in_cross_replica_context(),
        "num_replicas_in_sync": tf.cast(in_sync, tf.float32),
        "replica_id_in_sync_group": replica_id,
    }


@steps.step("strategy.distribute_dataset")
def distribute_dataset(call):
    strategy = tf.distribute.get_strategy()
    return Input(strategy, strategy.experimental_distribute_dataset(call.find("of")))


class NamedContext(dict):
    """The integers of an InputContext by their names, and itself."""

    def __init__(self, context):
        names = "num_input_pipelines", "input_pipeline_id", "num_replicas_in_sync"
        super().__init__((name, getattr(context, name)) for name in names)
        self.context = context


@steps.step("strategy.distribute_datasets_from_function")
def distribute_datasets_from_function(call):
    strategy, rounds = tf.distribute.get_strategy(), []
    options = None
    if call.argument("replication", "per_worker") == "per_replica":
        options = tf.distribute.InputOptions(
            experimental_fetch_to_device=False,
            experimental_replication_mode=tf.distribute.InputReplicationMode.PER_REPLICA,
        )

    def make_dataset(context):
        inner = call.inner(**{call.argument("as"): NamedContext(context)})
        call.run_block(inner)
        rounds.append(inner)
        return call.result(inner)

    inputs = strategy.distribute_datasets_from_function(make_dataset, options)
    call.observe_rounds(rounds)
    return Input(strategy, inputs)


def distribute(function):
    strategy = tf.distribute.get_strategy()
    values = strategy.experimental_distribute_values_from_function(function)
    return Distributed(strategy, values)


@steps.step("strategy.distribute_values")
def distribute_values(call):
    if not call.has("values"):
        return _distribute_ids()
    values, dtype = call.argument("values"), call.dtype()
    return distribute(lambda context: tf.constant(values[context.replica_id_in_sync_group], dtype))


def _distribute_ids():
    return distribute(
        lambda context: (tf.constant(context.replica_id_in_sync_group), tf.constant(context.num_replicas_in_sync))
    )


@steps.step("strategy.run")
def run(call):
    strategy = call.find("of", tf.distribute.get_strategy())
    result, rounds = run_block(call, strategy, unwrap(call.bindings("args")))
    call.observe_rounds(rounds)
    return None if result is None else Distributed(strategy, result)


def run_block(call, strategy, arguments):
    """The result of the step's block on every replica, and the replicas' environments."""
    rounds = {}

    def replica_step(own):
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        rounds[int(tf.get_static_value(replica))] = inner = call.inner(**own)
        call.run_block(inner)
        return call.result(inner)

    result = strategy.run(replica_step, args=(arguments,))
    # operations.md (strategy.run)
    return result, [rounds[replica] for replica in sorted(rounds)]


@steps.step("strategy.merge_call")
def merge_call(call):
    def merge(strategy, arguments):
        marked = {key: Distributed(strategy, item) for key, item in arguments.items()}
        inner = call.inner(**marked)
        call.run_block(inner)
        return unwrap(call.result(inner))

    replica = tf.distribute.get_replica_context()
    return replica.merge_call(merge, args=(call.bindings("args"),))


@steps.step("strategy.reduce")
def reduce(call):
    strategy = tf.distribute.get_strategy()
    axis = call.argument("axis", None)
    return strategy.reduce(call.argument("op"), unwrap(call.value("of")), axis=axis)


@steps.step("strategy.gather")
def gather(call):
    strategy = tf.distribute.get_strategy()
    return strategy.gather(unwrap(call.find("of")), axis=call.argument("axis"))


@steps.step("strategy.local_results")
def local_results(call):
    strategy = tf.distribute.get_strategy()
    return strategy.experimental_local_results(unwrap(call.find("of")))


@steps.step("collective.all_reduce")
def all_reduce(call):
    replica = tf.distribute.get_replica_context()
    return replica.all_reduce(call.argument("op"), call.value("of"))


@steps.step("collective.all_gather")
def all_gather(call):
    replica = tf.distribute.get_replica_context()
    return replica.all_gather(call.value("of"), axis=call.argument("axis"))
