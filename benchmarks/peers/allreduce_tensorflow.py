"""All-reduce by TensorFlow's MirroredStrategy between logical CPU devices.

ReplicaContext.all_reduce inside strategy.run, several in one tf.function so that
Python's part is small. 100 MiB and 4 KiB of float32 by default; the sum is checked.
"""

import argparse
import os

from benchmarks.peers import samples


def make_operation(tf, strategy, size, calls):
    """`calls` all-reduces in a row, each of the one before: a chain, as no step may
    overlap with the next. Starts from ones and halves each sum of two.
    """
    with strategy.scope():
        ones = [tf.ones(size // 4) for _ in range(strategy.num_replicas_in_sync)]
    values = strategy.experimental_distribute_values_from_function(
        lambda context: ones[context.replica_id_in_sync_group]
    )
    scale = 1.0 / strategy.num_replicas_in_sync

    def replica(value):
        context = tf.distribute.get_replica_context()
        for index in range(calls):
            value = context.all_reduce(tf.distribute.ReduceOp.SUM, value)
            if index + 1 < calls:
                value = value * scale
        return value

    return tf.function(lambda: strategy.run(replica, args=(values,)))


def reduce_size(tf, strategy, size, implementation):
    replicas = strategy.num_replicas_in_sync
    calls = 1 if size > 1 << 20 else 20
    operation = make_operation(tf, strategy, size, calls)
    repetitions = max(5, min(100, (1 << 30) // size))

    def finish():
        for value in strategy.experimental_local_results(operation()):
            value[:1].numpy()

    seconds = [t / calls for t in samples.measure(finish, repetitions, warmup=3)]
    results = strategy.experimental_local_results(operation())
    right = all((value.numpy() == replicas).all() for value in results)
    return samples.all_reduce_entry(implementation, size, replicas, seconds, right)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--bytes", type=int, nargs="+", default=[100 << 20, 4096])
    arguments = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    processor = tf.config.list_physical_devices("CPU")[0]
    logical = [tf.config.LogicalDeviceConfiguration()] * arguments.replicas
    tf.config.set_logical_device_configuration(processor, logical)
    names = [f"CPU:{index}" for index in range(arguments.replicas)]
    strategy = tf.distribute.MirroredStrategy(names)
    entries = [reduce_size(tf, strategy, size, "tensorflow_collective") for size in arguments.bytes]
    samples.report({"tensorflow": tf.__version__}, entries)


if __name__ == "__main__":
    main()
