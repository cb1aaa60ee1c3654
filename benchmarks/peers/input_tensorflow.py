"""Distributed input by TensorFlow on two replicas, with nothing done to the batches.

  DistributeDataset/range   range(200000).batch(6): global batches/s
  DistributeDataset/images  60,000 Fashion-MNIST images, shuffled, in global batches of
                            128: images/s; as the document feeds them, and by gather

The loop runs inside a tf.function, the faster of the documented ways. What it adds up
is checked, so that no batch is lost.
"""

import argparse
import os
import time

from benchmarks.peers.workloads import fashion_mnist_cnn as workload
from benchmarks.peers import samples, tensorflow_mirrored


def make_epoch(tf, strategy, component):
    """A function that takes a whole distributed dataset and sums one component."""

    def replica_sum(batch):
        return tf.reduce_sum(component(batch))

    @tf.function
    def epoch(dataset):
        total = tf.constant(0, tf.int64)
        for batch in dataset:
            sums = strategy.run(replica_sum, args=(batch,))
            total += strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)
        return total

    return epoch


def make_drain(tf, strategy):
    """A function that takes a whole distributed dataset and only counts batches."""

    @tf.function
    def drain(dataset):
        count = tf.constant(0, tf.int64)
        for _ in dataset:
            count += 1
        return count

    return drain


def measure(dataset, drain, elements, repetitions):
    """Elements/s of each of `repetitions` whole passes, after one untimed pass."""
    drain(dataset).numpy()
    rates = []
    for _ in range(repetitions):
        started = time.perf_counter()
        drain(dataset).numpy()
        rates.append(elements / (time.perf_counter() - started))
    return rates


def range_entry(tf, strategy, arguments):
    numbers = tf.data.Dataset.range(arguments.numbers)
    dataset = strategy.experimental_distribute_dataset(numbers.batch(6))
    total = make_epoch(tf, strategy, lambda batch: batch)(dataset).numpy()
    batches = -(-arguments.numbers // 6)
    drain = make_drain(tf, strategy)
    rates = measure(dataset, drain, batches, arguments.repetitions)
    right = int(total) == arguments.numbers * (arguments.numbers - 1) // 2
    name = f"DistributeDataset/source:range/elements:{arguments.numbers}/batch:6"
    name += f"/replicas:{arguments.replicas}/device:cpu"
    return samples.rate_entry(name, "batches_per_second", rates, right=right)


def images_entry(tf, strategy, arguments, kind, data):
    feed = argparse.Namespace(input=kind, global_batch_size=128, seed=arguments.seed)
    local = tensorflow_mirrored.make_dataset(tf, feed, *data, repeat=False)
    dataset = strategy.experimental_distribute_dataset(local)
    total = make_epoch(tf, strategy, lambda batch: batch[1])(dataset).numpy()
    drain = make_drain(tf, strategy)
    rates = measure(dataset, drain, len(data[1]), arguments.repetitions)
    name = f"DistributeDataset/source:fashion_mnist/input:{kind}/batch:128"
    name += f"/replicas:{arguments.replicas}/device:cpu"
    right = int(total) == int(data[1].sum())
    return samples.rate_entry(name, "images_per_second", rates, right=right)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--numbers", type=int, default=200_000)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--input",
        action="append",
        choices=tensorflow_mirrored.INPUTS,
        help="how images are fed; may be given again (all ways)",
    )
    parser.add_argument("--data", default=os.environ.get("LOCKSTEP_DATA_DIR"))
    arguments = parser.parse_args()
    if not arguments.data:
        parser.error("no data: give --data or set LOCKSTEP_DATA_DIR")
    arguments.inter_op_threads = None
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    strategy = tensorflow_mirrored.configure(tf, arguments)
    data = workload.load(arguments.data, "train")
    entries = [range_entry(tf, strategy, arguments)]
    for kind in arguments.input or tensorflow_mirrored.INPUTS:
        entries.append(images_entry(tf, strategy, arguments, kind, data))
    samples.report({"tensorflow": tf.__version__}, entries)


if __name__ == "__main__":
    main()
