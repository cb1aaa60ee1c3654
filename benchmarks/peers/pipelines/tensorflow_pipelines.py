"""The pipelines of benchmarks/micro/pipelines by tf.data.

--way=document   as the guides write it: a Python loop over small batches, images shuffled as they are, each record
                 parsed by itself; and a map whose function sleeps
--way=fast       what is fastest: loops inside of tf.function, indices shuffled and images gathered, records parsed in
                 whole batches
"""

import argparse
import os
import time

from benchmarks.peers import samples
from benchmarks.peers.pipelines import work


def make_drain(tf, numbers_of):
    """A function that reads a dataset inside of a graph and sums some numbers."""

    @tf.function
    def drain(dataset):
        total = tf.constant(0, tf.int64)
        for batch in dataset:
            total += tf.reduce_sum(numbers_of(batch))
        return total

    return drain


def small_batches(tf, arguments):
    batches = tf.data.Dataset.range(work.NUMBERS).batch(work.SMALL_BATCH)
    drain = make_drain(tf, lambda batch: batch)

    def loop():
        return sum(int(batch.numpy().sum()) for batch in batches)

    read = loop if arguments.way == "document" else lambda: drain(batches)
    return work.small_batches(read, arguments.repetitions)


def shuffled_images(tf, arguments):
    images, labels = tf.zeros((work.IMAGES, 28, 28, 1)), tf.range(work.IMAGES, dtype=tf.int64)
    if arguments.way == "document":
        dataset = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(work.IMAGES, seed=1).batch(work.BATCH)
    else:
        dataset = tf.data.Dataset.range(work.IMAGES).shuffle(work.IMAGES, seed=1).batch(work.BATCH)
        dataset = dataset.map(
            lambda i: (tf.gather(images, i), tf.gather(labels, i)), num_parallel_calls=tf.data.AUTOTUNE
        )
    dataset = dataset.prefetch(tf.data.AUTOTUNE)
    drain = make_drain(tf, lambda batch: batch[1])
    return work.shuffled_images(lambda: drain(dataset), arguments.repetitions)


def parse(tf, record):
    """Of one record, or of a batch of them."""
    content = tf.io.decode_raw(record, tf.uint8)
    pixels = tf.cast(content[..., 1:], tf.float32) / 255.0
    return tf.reshape(pixels, tf.concat([tf.shape(record), (28, 28, 1)], 0)), tf.cast(content[..., 0], tf.int64)


def example(tf, label):
    """A record's image and label as a tf.train.Example."""
    image = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"\xff" * work.PIXELS]))
    number = tf.train.Feature(int64_list=tf.train.Int64List(value=[label]))
    features = tf.train.Features(feature={"image": image, "label": number})
    return tf.train.Example(features=features).SerializeToString()


def parse_examples(tf, records_):
    """Of one message, or of a batch of them."""
    features = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
    read = tf.io.parse_example if records_.shape.rank else tf.io.parse_single_example
    found = read(records_, features)
    pixels = tf.cast(tf.io.decode_raw(found["image"], tf.uint8), tf.float32) / 255.0
    return tf.reshape(pixels, tf.concat([tf.shape(records_), (28, 28, 1)], 0)), found["label"]


def batches(tf, arguments, paths, parse_function):
    """Of parsed records, one by one or in whole batches."""
    tune = tf.data.AUTOTUNE
    dataset = tf.data.Dataset.from_tensor_slices(paths)
    dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=tune)
    if arguments.way == "document":
        dataset = dataset.map(lambda record: parse_function(tf, record), num_parallel_calls=tune).batch(work.BATCH)
    else:
        dataset = dataset.batch(work.BATCH).map(lambda batch: parse_function(tf, batch), num_parallel_calls=tune)
    return dataset.prefetch(tune)


def records(tf, arguments, paths):
    dataset, drain = batches(tf, arguments, paths, parse), make_drain(tf, lambda batch: batch[1])
    return work.records(lambda: drain(dataset), arguments.repetitions)


def examples(tf, arguments, paths):
    dataset, drain = batches(tf, arguments, paths, parse_examples), make_drain(tf, lambda batch: batch[1])
    return work.examples(lambda: drain(dataset), arguments.repetitions)


def sleeps(tf, calls, *, ordered):
    def wait(number):
        time.sleep(work.SLEEP)
        return number

    dataset = tf.data.Dataset.range(work.SLEEPS).map(
        lambda number: tf.numpy_function(wait, [number], tf.int64),
        num_parallel_calls=tf.data.AUTOTUNE if calls == "autotune" else calls,
        deterministic=ordered,
    )
    options = tf.data.Options()
    options.threading.private_threadpool_size = work.CALLS  # by default as many as cores
    dataset = dataset.with_options(options)
    drain = make_drain(tf, lambda number: number)
    return work.sleeps(lambda: drain(dataset), calls, "kept" if ordered else "free")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=("document", "fast"), default="document")
    parser.add_argument("--repetitions", type=int, default=2)
    arguments = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    entries = [small_batches(tf, arguments), shuffled_images(tf, arguments)]
    with work.record_files() as paths:
        entries.append(records(tf, arguments, paths))
    with work.record_files(lambda label: example(tf, label)) as paths:
        entries.append(examples(tf, arguments, paths))
    if arguments.way == "document":
        for calls in (work.CALLS, "autotune"):
            entries += [sleeps(tf, calls, ordered=ordered) for ordered in (True, False)]
    samples.report({"tensorflow": tf.__version__}, entries)


if __name__ == "__main__":
    main()
