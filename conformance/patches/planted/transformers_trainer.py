"""Bugs for the Trainer, and Accelerate and PyTorch under it."""

from conformance.patches import torch_parts
from conformance.patches.patch import Patches, does_nothing, instead_of

patches = Patches("transformers 5.24.0, accelerate 1.15.0, torch 2.15.0")


@patches.patch("equivalence/batches/a_full_batch_trains_as_one")
def gradients_stay_apart():
    """Each replica steps by its own gradients."""
    torch_parts.keep_gradients_apart()


@patches.patch(
    "equivalence/predictions/no_example_is_predicted_twice",
    "equivalence/evaluation/accuracy_counts_no_example_twice",
    "equivalence/evaluation/a_counter_counts_each_example_once",
)
def padding_is_gathered():
    """What was added to make shares equal is predicted and counted, too."""
    from accelerate import Accelerator

    @instead_of(Accelerator, "gather_for_metrics")
    def gather(original, self, input_data, use_gather_object=False):
        return self.gather(input_data)


@patches.patch("equivalence/shuffles/a_second_epoch_has_another_order")
def epochs_are_ignored():
    """A sampler's order does not follow the number of the pass."""
    from accelerate.data_loader import SeedableRandomSampler

    @instead_of(SeedableRandomSampler, "__iter__")
    def iterate(original, self):
        self.epoch = 0
        return original(self)


@patches.patch("equivalence/resume/a_training_continues_in_the_middle_of_an_epoch")
def nothing_is_skipped():
    """A Trainer that resumes in a pass reads it from its beginning."""
    from transformers import trainer

    instead_of(trainer, "skip_first_batches")(lambda original, loader, num_batches=0: original(loader, 0))


@patches.patch("equivalence/accumulation/a_window_equals_one_large_batch")
def windows_are_summed():
    """A loss is not divided by the batches of a window."""
    from transformers import Trainer

    @instead_of(Trainer, "training_step")
    def step(original, self, *arguments, **options):
        self.current_gradient_accumulation_steps = 1
        return original(self, *arguments, **options)


@patches.patch("equivalence/tokens/every_token_counts_once")
def tokens_of_one_replica_count():
    """A step divides by the tokens of its own replica."""
    from transformers import TrainingArguments

    TrainingArguments.average_tokens_across_devices = property(lambda self: False, lambda self, value: None)


@patches.patch("equivalence/resume/momentum_continues")
def momentum_is_lost():
    """An optimizer's state is not restored."""
    torch_parts.lose_momentum()


@patches.patch("equivalence/resume/a_schedule_continues")
def schedule_begins_again():
    """A schedule's step is not restored."""
    torch_parts.lose_schedule()


@patches.patch("equivalence/clipping/a_long_gradient_is_shortened")
def gradients_are_not_clipped():
    """max_grad_norm clips nothing."""
    from accelerate import Accelerator

    does_nothing(Accelerator, "clip_grad_norm_")


@patches.patch("equivalence/evaluation/the_loss_is_the_mean_over_all_examples")
def losses_are_means_of_means():
    """The loss that is measured counts each batch once, whatever it holds."""
    import torch
    from accelerate import Accelerator

    @instead_of(Accelerator, "gather_for_metrics")
    def gather(original, self, input_data, **options):
        found = original(self, input_data, **options)
        if not torch.is_tensor(input_data) or input_data.dim() != 1 or not input_data.is_floating_point():
            return found
        return found[:1]
