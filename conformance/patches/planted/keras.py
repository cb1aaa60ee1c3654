"""Bugs for Keras 3, and TensorFlow under it."""

from conformance.patches import tensorflow_bugs
from conformance.patches.patch import Patches, does_nothing, instead_of

patches = Patches("keras 3.15.1, tensorflow_cpu 2.21.0")
patches.take("keras", tensorflow_bugs.DATASET_BUGS)


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def gradients_stay_apart():
    """An optimizer applies each replica's own gradients."""
    tensorflow_bugs.skip_gradient_all_reduce()


@patches.patch("equivalence/resume/momentum_continues")
def momentum_is_lost():
    """load_weights leaves the optimizer as it was."""
    from keras.src.optimizers.base_optimizer import BaseOptimizer

    does_nothing(BaseOptimizer, "load_own_variables")


@patches.patch("training/several_fits/a_history_is_of_its_fit")
def fit_begins_at_the_first_epoch():
    """fit ignores initial_epoch."""
    import keras

    @instead_of(keras.Model, "fit")
    def fit(original, self, *arguments, **options):
        return original(self, *arguments, **options | {"initial_epoch": 0})


@patches.patch("equivalence/buffers/synchronized_moments_are_of_all_replicas")
def moments_stay_apart():
    """A synchronized batch normalization takes the moments of its replica."""
    tensorflow_bugs.unsynchronize_batch_normalization()


@patches.patch("equivalence/predictions/no_example_is_predicted_twice")
def predictions_are_padded():
    """predict gives the last output twice where outputs are odd."""
    import keras

    @instead_of(keras.Model, "predict")
    def predict(original, self, *arguments, **options):
        return tensorflow_bugs.padded_to_even(original(self, *arguments, **options))


@patches.patch("equivalence/evaluation/examples_that_do_not_divide_count_once")
def metrics_take_means_of_means():
    """The metric Mean counts a batch once, whatever it holds."""
    tensorflow_bugs.weigh_batches_equally()


@patches.patch("equivalence/loss_scale/a_scaled_loss_takes_the_same_step")
def gradients_stay_scaled():
    """A LossScaleOptimizer leaves its scale in the gradients."""
    tensorflow_bugs.skip_unscaling()
