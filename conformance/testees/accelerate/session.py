"""The Accelerators of a program, as its first lines configure them."""

import inspect

import accelerate
from accelerate import Accelerator
from accelerate.utils import DistributedDataParallelKwargs, InitProcessGroupKwargs

from conformance.testees.torch_ranks.testee import COLLECTIVE_TIMEOUT

MIXED_PRECISION = {"float32": "no", "mixed_bfloat16": "bf16"}
# Replicas have different seeds only where a program requests it: Accelerate's own order for all of them.
_SEEDABLE = {"use_seedable_sampler": True}


class Session:
    """One Accelerator is in force: that of the last training, before it one for loaders alone.

    A process has one precision. Whether loaders are split is said once an Accelerator, since
    its schedules depend on it; a loader can differ when it is prepared.
    """

    def __init__(self, program, replica_batches):
        self.replica_batches = replica_batches
        loaders = list(_steps_of(program, "loader.create"))
        self._splits = self.splits(loaders[0].get("batch_of", "global")) if loaders else True
        trainings = list(_steps_of(program, "train.create"))
        self._precision = trainings[0].get("precision", "float32") if trainings else "float32"
        self._accelerator = None

    def splits(self, batch_of):
        """Whether a loader of such batches is one that Accelerate splits."""
        return batch_of == "global" and not self.replica_batches

    @property
    def accelerator(self):
        if self._accelerator is None:
            self._accelerator = self._made(mixed_precision=MIXED_PRECISION.get(self._precision))
        return self._accelerator

    def begin_training(self, request):
        """The Accelerator of a training; `request` is a TrainingRequest."""
        wrapping = DistributedDataParallelKwargs(
            find_unused_parameters=request.find_unused, static_graph=request.static_graph
        )
        self._accelerator = self._made(
            wrapping, mixed_precision=MIXED_PRECISION[request.precision], gradient_accumulation_steps=request.accumulate
        )
        return self._accelerator

    def prepare_loader(self, loader, splits, even_batches):
        """A DataLoader as Accelerate reads it on this replica."""
        # Since 0.28 an Accelerator keeps the options of loaders in an object.
        options = getattr(self.accelerator, "dataloader_config", self.accelerator)
        options.split_batches = splits
        options.even_batches = even_batches
        return self.accelerator.prepare(loader)

    def _made(self, *handlers, **options):
        waiting = InitProcessGroupKwargs(timeout=COLLECTIVE_TIMEOUT)
        return Accelerator(cpu=True, kwargs_handlers=[waiting, *handlers], **_loader_options(self._splits), **options)


def _loader_options(splits):
    # Its own class for these since 0.27; before they are the Accelerator's, the last since 0.24.
    if config := getattr(accelerate, "DataLoaderConfiguration", None):
        return {"dataloader_config": config(split_batches=splits, **_SEEDABLE)}
    known = inspect.signature(Accelerator).parameters
    seedable = {name: value for name, value in _SEEDABLE.items() if name in known}
    return {"split_batches": splits, **seedable}


def _steps_of(program, name):
    """The steps of this name, also those in blocks, in their order."""
    for step in program:
        if step["step"] == name:
            yield step
        yield from _steps_of(step.get("program", []), name)
