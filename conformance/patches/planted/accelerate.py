"""Bugs for Accelerate, and PyTorch under it."""

from conformance.patches import torch_parts
from conformance.patches.patch import Patches, does_nothing, instead_of

patches = Patches("accelerate 1.15.0, torch 2.15.0")


@patches.patch("equivalence/gradients/the_gradient_is_that_of_the_global_batch")
def gradients_stay_apart():
    """Each replica steps by its own gradients."""
    torch_parts.keep_gradients_apart()


@patches.patch(
    "equivalence/predictions/no_example_is_predicted_twice",
    "equivalence/evaluation/accuracy_counts_no_example_twice",
    "equivalence/evaluation/a_counter_counts_each_example_once",
)
def padding_is_gathered():
    """gather_for_metrics keeps what was added to make shares equal."""
    from accelerate import Accelerator

    @instead_of(Accelerator, "gather_for_metrics")
    def gather(original, self, input_data, use_gather_object=False):
        return self.gather(input_data)


@patches.patch(
    "equivalence/shuffles/an_epoch_has_the_order_of_its_number", "equivalence/shuffles/a_second_epoch_has_another_order"
)
def epochs_are_ignored():
    """A sampler's order does not follow the number of the pass."""
    from accelerate.data_loader import SeedableRandomSampler

    @instead_of(SeedableRandomSampler, "__iter__")
    def iterate(original, self):
        self.epoch = 0
        return original(self)


@patches.patch("equivalence/loaders/a_skipped_batch_is_not_read")
def nothing_is_skipped():
    """skip_first_batches skips none."""
    from accelerate import Accelerator

    instead_of(Accelerator, "skip_first_batches")(
        lambda original, self, loader, num_batches=0: original(self, loader, 0)
    )


@patches.patch("equivalence/accumulation/a_window_equals_one_large_batch")
def windows_are_summed():
    """backward does not divide by the batches of a window."""
    from accelerate import Accelerator

    @instead_of(Accelerator, "backward")
    def backward(original, self, loss, **options):
        original(self, loss * self.gradient_accumulation_steps, **options)


@patches.patch("equivalence/resume/momentum_continues")
def momentum_is_lost():
    """An optimizer's state is not restored."""
    torch_parts.lose_momentum()


@patches.patch("equivalence/resume/a_schedule_continues")
def schedule_begins_again():
    """A schedule's step is not restored."""
    torch_parts.lose_schedule()


@patches.patch("equivalence/resume/a_training_continues_with_as_many_replicas")
def registered_objects_are_not_restored():
    """load_state leaves out what register_for_checkpointing was given."""
    from accelerate import accelerator

    does_nothing(accelerator, "load_custom_state")


@patches.patch("equivalence/buffers/replicas_predict_the_same_for_equal_examples")
def buffers_stay_apart():
    """Each replica keeps the moments of its own batches."""
    torch_parts.keep_buffers_apart()


@patches.patch("equivalence/loaders/each_example_is_read_once")
def replicas_read_the_same():
    """Every replica reads the first replica's part of a batch."""
    from accelerate.data_loader import BatchSamplerShard

    @instead_of(BatchSamplerShard, "__init__")
    def init(original, self, *arguments, **options):
        original(self, *arguments, **options)
        self.process_index = 0
