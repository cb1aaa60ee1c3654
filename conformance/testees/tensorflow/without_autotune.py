"""Datasets of tf.data without the thread that tunes their speed."""

import tensorflow as tf

_OPTIONS = tf.data.Options()
_OPTIONS.autotune.enabled = False


def without_autotune(dataset):
    """The same dataset; an iterator of it ends at once.

    tf.data's autotuning chooses buffers and parallelism, no result. An iterator that ends
    waits for the tuning thread, which sleeps for up to seconds (Model::OptimizeLoop of
    TensorFlow 2.21): half of the time that short programs would take.
    """
    return dataset.with_options(_OPTIONS)
