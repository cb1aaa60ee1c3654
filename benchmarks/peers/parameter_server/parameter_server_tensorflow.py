"""TensorFlow's ParameterServerStrategy: what a scheduled function costs, on this machine.

  operation:schedule        functions that do nothing: functions/s from the first schedule to the join
  operation:pull            functions that read a variable and sum it: bytes/s
  operation:push            functions that add to a variable: bytes/s
  operation:embedding_step  functions that look up rows of a table and train them: steps/s
  operation:notice          the last server is killed while functions run: 1 / s until the join raises; once

What the functions changed, or returned, is checked.
"""

import argparse
import os
import sys
import time

from benchmarks.peers import samples
from benchmarks.peers.parameter_server.cluster_tensorflow import local_cluster

FLOAT_BYTES = 4
RATE = 1 / 1024  # exact


class Program:
    """The coordinator, and the time that a number of functions takes."""

    def __init__(self, tf, arguments):
        self.tf = tf
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        self.strategy = tf.distribute.ParameterServerStrategy(resolver)
        self.coordinator = tf.distribute.coordinator.ClusterCoordinator(self.strategy)
        self.arguments = arguments

    def rates(self, function, count, amount=1):
        """amount * count / s of each repetition, after one untimed."""
        rates = []
        for repetition in range(self.arguments.repetitions + 1):
            started = time.perf_counter()
            for _ in range(count):
                self.coordinator.schedule(function)
            self.coordinator.join()
            if repetition > 0:
                rates.append(amount * count / (time.perf_counter() - started))
        return rates

    def runs(self, count):
        """How often a function ran in rates()."""
        return count * (self.arguments.repetitions + 1)

    def name(self, operation, **labels):
        more = "".join(f"/{label}:{value}" for label, value in labels.items())
        cluster = f"workers:{self.arguments.workers}/servers:{self.arguments.servers}"
        return f"ParameterServer/operation:{operation}{more}/{cluster}/device:cpu"


def schedule_entry(program):
    rates = program.rates(program.tf.function(lambda: None), 2000)
    right = program.coordinator.done()
    return samples.rate_entry(program.name("schedule"), "functions_per_second", rates, right=right)


def transfer_entries(program, size):
    tf, count = program.tf, 40
    with program.strategy.scope():
        variable = tf.Variable(tf.zeros(size // FLOAT_BYTES))
        total = tf.Variable(0.0)

    @tf.function
    def push():
        variable.assign_add(tf.ones([size // FLOAT_BYTES]), read_value=False)

    @tf.function
    def pull():
        total.assign(tf.reduce_mean(variable), read_value=False)

    rates = program.rates(push, count, size)
    value = float(program.runs(count))
    right = bool(tf.reduce_all(variable == value))
    yield samples.rate_entry(program.name("push", bytes=size), "bytes_per_second", rates, right=right)
    rates = program.rates(pull, count, size)
    right = float(total) == value
    yield samples.rate_entry(program.name("pull", bytes=size), "bytes_per_second", rates, right=right)


def embedding_entry(program, rows, columns, batch):
    tf, count = program.tf, 500
    with program.strategy.scope():
        table = tf.Variable(tf.zeros([rows, columns]))
        optimizer = tf.keras.optimizers.SGD(RATE)
        optimizer.build([table])

    @tf.function
    def step():
        ids = tf.random.uniform([batch], maxval=rows, dtype=tf.int64)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
        program.strategy.run(lambda: optimizer.apply_gradients([(tape.gradient(loss, table), table)]))

    rates = program.rates(step, count)
    expected = -program.runs(count) * batch * columns * RATE
    right = float(tf.reduce_sum(tf.cast(table, tf.float64))) == expected
    name = program.name("embedding_step", rows=rows, columns=columns, batch=batch)
    return samples.rate_entry(name, "steps_per_second", rates, right=right)


def notice_entry(program, processes):
    """Ends the cluster."""
    tf, size = program.tf, 1 << 20
    with program.strategy.scope():
        variable = tf.Variable(tf.zeros(size))

    @tf.function
    def push():
        variable.assign_add(tf.ones([size]), read_value=False)

    for _ in range(2000):
        program.coordinator.schedule(push)
    time.sleep(0.1)
    started = time.perf_counter()
    processes["ps", program.arguments.servers - 1].kill()
    right = False
    try:
        program.coordinator.join()
    except tf.errors.UnavailableError:
        right = True
    rate = 1 / (time.perf_counter() - started)
    return samples.rate_entry(program.name("notice"), "notices_per_second", [rate], right=right)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with local_cluster(arguments.workers, arguments.servers) as processes:
        import tensorflow as tf

        program = Program(tf, arguments)
        entries = [schedule_entry(program), *transfer_entries(program, 4 << 20)]
        entries.append(embedding_entry(program, rows=100_000, columns=64, batch=256))
        entries.append(notice_entry(program, processes))
        samples.report({"tensorflow": tf.__version__}, entries)
    sys.stdout.flush()
    os._exit(0)  # at once: the coordinator would look for its workers


if __name__ == "__main__":
    main()
