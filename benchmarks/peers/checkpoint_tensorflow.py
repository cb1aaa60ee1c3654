"""Checkpoints by TensorFlow: tf.train.Checkpoint's write and read.

64 variables of 4 MiB of float32, as //benchmarks/micro:checkpoint_benchmark has them, in
the system's folder of temporary files. TensorFlow does not ask for an fsync, so a
checkpoint may be lost with the machine. It is compared with both of our ways to save;
--durable adds an fsync after each write. Files that are read are in the page cache.
"""

import argparse
import os
import tempfile

from benchmarks.peers import samples

VARIABLES = 64
ELEMENTS = 1 << 20
BYTES = VARIABLES * ELEMENTS * 4
REPETITIONS = 7


def make_durable(folder):
    """Flushes the folder and its files to the disk."""
    for path in (*os.scandir(folder), folder):
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def entry(operation, seconds, right):
    name = f"Checkpoint/implementation:tensorflow/operation:{operation}/bytes:{BYTES}"
    rates = [BYTES / second for second in seconds]
    return samples.rate_entry(name, "bytes_per_second", rates, operation=operation, bytes=BYTES, right=right)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--durable", action="store_true", help="with an fsync")
    arguments = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    variables = {f"v{i}": tf.Variable(tf.fill([ELEMENTS], float(i))) for i in range(VARIABLES)}
    checkpoint = tf.train.Checkpoint(**variables)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ckpt")

        def save():
            checkpoint.write(path)
            if arguments.durable:
                make_durable(folder)

        saved = samples.measure(save, REPETITIONS, warmup=1)
        written = sum(file.stat().st_size for file in os.scandir(folder))
        for variable in variables.values():
            variable.assign(tf.zeros([ELEMENTS]))
        restored = samples.measure(lambda: checkpoint.read(path).assert_consumed(), REPETITIONS, warmup=1)
    right = all(float(tf.reduce_min(v)) == float(tf.reduce_max(v)) == i for i, v in enumerate(variables.values()))
    saves = ["save"] if arguments.durable else ["save", "save_without_fsync"]
    entries = [entry(operation, saved, written >= BYTES) for operation in saves]
    samples.report({"tensorflow": tf.__version__}, [*entries, entry("restore", restored, right)])


if __name__ == "__main__":
    main()
