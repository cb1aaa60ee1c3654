"""Bugs in what Keras 3 and Keras 2 have from TensorFlow, and in Keras 3 itself."""

from conformance.patches.patch import does_nothing, instead_of


def tail_is_dropped():
    """Dataset.batch drops a last batch that is not full."""
    import tensorflow as tf

    @instead_of(tf.data.Dataset, "batch")
    def batch(original, self, batch_size, **options):
        return original(self, batch_size, **options | {"drop_remainder": True})


def seeds_are_ignored():
    """Dataset.shuffle ignores its seed."""
    import tensorflow as tf

    @instead_of(tf.data.Dataset, "shuffle")
    def shuffle(original, self, buffer_size, **options):
        return original(self, buffer_size, **options | {"seed": 1})


def epochs_are_ignored():
    """Dataset.shuffle has the same order in each pass."""
    import tensorflow as tf

    @instead_of(tf.data.Dataset, "shuffle")
    def shuffle(original, self, buffer_size, **options):
        return original(self, buffer_size, **options, reshuffle_each_iteration=False)


OF_DATASETS = (
    (tail_is_dropped, "equivalence/loaders/length_counts_a_short_last_batch"),
    (seeds_are_ignored, "equivalence/shuffles/another_seed_gives_another_order"),
    (epochs_are_ignored, "equivalence/shuffles/a_second_epoch_has_another_order"),
)


def average_over_one_replica():
    import tensorflow as tf

    @instead_of(tf.nn, "compute_average_loss")
    def average(original, losses, sample_weight=None, global_batch_size=None):
        return original(losses, sample_weight=sample_weight, global_batch_size=tf.shape(losses)[0])


def gather_padding():
    import tensorflow as tf

    @instead_of(tf.distribute.MirroredStrategy, "gather")
    def gather(original, self, value, axis):
        return tf.constant(padded(original(self, value, axis)))


def padded(rows):
    """These, the last one twice where their number is odd."""
    import numpy as np

    rows = np.asarray(rows)
    return np.concatenate([rows, rows[-1:]]) if len(rows) % 2 else rows


def keep_gradients_apart():
    from keras.src.backend.tensorflow.optimizer import TFOptimizer

    instead_of(TFOptimizer, "_all_reduce_sum_gradients")(lambda original, self, pairs: list(pairs))


def count_windows_on():
    from keras.src.optimizers.base_optimizer import BaseOptimizer

    does_nothing(BaseOptimizer, "_backend_reset_gradient_accumulators")


def keep_moments_apart():
    import keras

    @instead_of(keras.layers.BatchNormalization, "__init__")
    def init(original, self, *arguments, **options):
        original(self, *arguments, **options | {"synchronized": False})


def weigh_nothing():
    import keras

    @instead_of(keras.metrics.Mean, "update_state")
    def update(original, self, values, sample_weight=None):
        return original(self, values)


def count_batches_alike():
    import keras

    @instead_of(keras.metrics.Mean, "update_state")
    def update(original, self, values, sample_weight=None):
        return original(self, keras.ops.mean(values))


def keep_gradients_scaled():
    import keras

    @instead_of(keras.optimizers.LossScaleOptimizer, "_stateful_handle_finite_grads")
    def handle(original, self, gradients, variables):
        return original(self, [gradient * self.dynamic_scale for gradient in gradients], variables)
