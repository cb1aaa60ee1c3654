"""Normalization.adapt and StringLookup.adapt over 10 million elements, by Keras 3 or Keras 2 (tf_keras).

The data are a tensor, or a dataset of a thousand batches of it.
"""

import argparse
import functools
import importlib
import inspect
import os

import numpy as np

from benchmarks.peers import samples
from benchmarks.peers.pipelines import work


def numbers():
    """Rows of which column c has the numbers 0..9 equally often, plus c."""
    rows = np.arange(work.ELEMENTS // work.COLUMNS, dtype=np.float32) % 10
    return rows[:, None] + np.arange(work.COLUMNS, dtype=np.float32)


def words():
    """Words whose frequency falls as 1 / rank, in random order."""
    ranks = np.exp(np.random.default_rng(1).uniform(0, np.log(work.WORDS), work.ELEMENTS)).astype(np.int64)
    return np.array([b"word%d" % rank for rank in range(work.WORDS + 1)])[ranks]


def adapt(tf, layer, tensor, *, batched):
    rows = tensor.shape[0]
    if batched:
        layer.adapt(tf.data.Dataset.from_tensor_slices(tensor).batch(rows // work.BATCHES))
    elif "batch_size" in inspect.signature(layer.adapt).parameters:  # Keras 2: by default 32 rows at a time
        layer.adapt(tensor, batch_size=rows)
    else:
        layer.adapt(tensor)
    return layer


def normalization(tf, layers, tensor, *, batched):
    """Whether the means are right."""
    layer = adapt(tf, layers.Normalization(), tensor, batched=batched)
    mean = np.reshape(np.array(layer.mean if layer.mean is not None else layer.adapt_mean), -1)
    return int(np.allclose(mean, 4.5 + np.arange(work.COLUMNS), atol=0.01))


def string_lookup(tf, layers, tensor, *, batched):
    layer = adapt(tf, layers.StringLookup(max_tokens=work.TOKENS), tensor, batched=batched)
    vocabulary = layer.get_vocabulary()
    return int(len(vocabulary) == work.TOKENS and vocabulary[1] == "word1")


def entries_of(tf, layers, name, make, tensor, repetitions):
    make(tf, layers, tensor[:: work.BATCHES], batched=False)  # a warm-up of its own, since a whole pass takes seconds
    for batched in (False, True):
        labels = {"elements": work.ELEMENTS, "data": "dataset" if batched else "tensor"}
        read = functools.partial(make, tf, layers, tensor, batched=batched)
        yield work.entry(name, read, work.ELEMENTS, 1, repetitions=repetitions, warm_up=False, **labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keras", choices=("keras", "tf_keras"), default="keras")
    parser.add_argument("--repetitions", type=int, default=1)
    arguments = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ["KERAS_BACKEND"] = "tensorflow"
    import tensorflow as tf

    keras = importlib.import_module(arguments.keras)
    entries = []
    for name, make, data in (
        ("adapt_normalization", normalization, numbers),
        ("adapt_string_lookup", string_lookup, words),
    ):
        tensor = tf.constant(data())
        entries += entries_of(tf, keras.layers, name, make, tensor, arguments.repetitions)
    samples.report({"tensorflow": tf.__version__, arguments.keras: keras.__version__}, entries)


if __name__ == "__main__":
    main()
