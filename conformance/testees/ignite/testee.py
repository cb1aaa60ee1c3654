"""PyTorch Ignite as a testee: an Engine in each rank of a gloo group, with ignite.distributed."""

import contextlib
import math
import sys

import ignite
import ignite.distributed as idist
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import Checkpoint, DiskSaver, LRScheduler
from ignite.metrics import Accuracy, Loss, MetricsLambda, VariableAccumulation

from conformance.testees.python import protocol
from conformance.testees.python.intents import LoaderRequest, TrainingRequest
from conformance.testees.python.step_table import StepTable
from conformance.testees.torch_ranks import loader_steps
from conformance.testees.torch_ranks.dataset import dataset_of
from conformance.testees.torch_ranks.model import parameters_of
from conformance.testees.torch_ranks.optimizer import optimizer_of, schedule_of
from conformance.testees.torch_ranks.testee import COLLECTIVE_TIMEOUT, TorchRanks

steps = StepTable(TorchRanks.steps, loader_steps.steps)
steps.unsupported("train.predict", "an Engine gathers no outputs over ranks")
steps.unsupported("train.progress", "an Engine counts batches, and sets a batch's rate when it begins")


@steps.step("loader.create")
def create_loader(call):
    request = LoaderRequest.of(call)
    request.refuse_value("uneven", dict.fromkeys(("drop", "keep"), "its loaders pad"))
    if not request.draws:
        ignite.utils.manual_seed(request.seed)
    elif call.has("seed"):
        # pytorch/ignite:examples/cifar10/main.py (training)
        ignite.utils.manual_seed(request.seed + idist.get_rank())
    options = {"shuffle": request.shuffle, "drop_last": request.drop_last}
    # https://docs.pytorch.org/ignite/distributed.html (auto_dataloader divides it, too)
    options["num_workers"] = request.workers * idist.get_nproc_per_node()
    batch = request.global_batch(idist.get_world_size())  # which auto_dataloader divides
    return idist.auto_dataloader(dataset_of(request), batch_size=batch, **options)


class Training:
    """`model` is a Model, `request` a TrainingRequest. An interrupted Engine goes on where it was."""

    def __init__(self, model, request):
        self.model, self.losses, self.is_done = model, [], None
        options = {"find_unused_parameters": request.find_unused, "static_graph": request.static_graph}
        self.wrapped = idist.auto_model(model, **options)
        self.optimizer = idist.auto_optim(optimizer_of(model, request))
        schedule = LRScheduler(schedule_of(self.optimizer, request))
        self.trainer = create_supervised_trainer(
            self.wrapped,
            self.optimizer,
            model.loss,
            output_transform=lambda inputs, labels, outputs, loss: (outputs, labels),
            gradient_accumulation_steps=request.accumulate,
        )
        named = {"optimizer": self.optimizer, "schedule": schedule, "trainer": self.trainer}
        self.to_save = named | {"model": model}
        Loss(model.loss).attach(self.trainer, "loss")
        self.trainer.add_event_handler(Events.EPOCH_STARTED, self._number_pass)
        self.trainer.add_event_handler(Events.ITERATION_STARTED, schedule)
        self.trainer.add_event_handler(Events.ITERATION_COMPLETED, self._end_batch)
        self.trainer.add_event_handler(Events.EPOCH_COMPLETED, self._end_pass)

    def run(self, loader, is_done):
        """Trains until is_done(batches, passes), of all there were."""
        self.is_done = is_done
        self.trainer.run(loader, max_epochs=1_000_000)

    def _number_pass(self, engine):
        loader_steps.number_pass(engine.state.dataloader, engine.state.epoch - 1)

    def _end_batch(self, engine, passes=1):
        # intents.md (train.epoch, epochs)
        if self.is_done(engine.state.iteration, engine.state.epoch - passes):
            engine.interrupt()

    def _end_pass(self, engine):
        self.losses.append(engine.state.metrics["loss"])
        self._end_batch(engine, passes=0)


@steps.step("train.create")
def create(call):
    request = TrainingRequest.of(call)
    request.refuse(
        precision="its mixed precision is for GPUs alone",
        calls="create_supervised_trainer calls its model once a batch",
        clip_norm="create_supervised_trainer clips nothing: that is a user's own step",
        sync_batch_norm="PyTorch's SyncBatchNorm, which it takes, is for GPUs alone",
    )
    return Training(call.find("of"), request)


@steps.step("train.batches")
def batches(call):
    # intents.md (train.batches)
    end = call.find("of").trainer.state.iteration + call.integer("batches", 1)
    call.find("of").run(call.find("loader"), lambda batches, passes: batches >= end)


@steps.step("train.epoch")
def epoch(call):
    training, loader = call.find("of"), call.find("loader")
    epochs, most = call.integer("epochs", 1), call.argument("stop_after", math.inf)
    training.run(loader, lambda batches, passes: batches >= most or passes >= epochs)


@steps.step("train.gradients")
def gradients(call):
    return parameters_of(call.find("of").model, lambda parameter: parameter.grad)


@steps.step("train.losses")
def losses(call):
    return call.find("of").losses


@steps.step("train.evaluate")
def evaluate(call):
    training = call.find("of")
    # https://docs.pytorch.org/ignite/generated/ignite.metrics.VariableAccumulation.html (op)
    counted = VariableAccumulation(lambda count, outputs: count + len(outputs), lambda of: of[0])
    known = {"accuracy": Accuracy(), "count": MetricsLambda(lambda pair: pair[0], counted)}
    metrics = {name: known[name] for name in call.argument("metrics", [])}
    metrics["loss"] = Loss(training.model.data_loss)
    return create_supervised_evaluator(training.wrapped, metrics).run(call.find("loader")).metrics


@steps.step("train.save")
def save(call):
    training = call.find("of")
    # A folder that an earlier job saved in is used further, as its error message asks for.
    saver = DiskSaver(call.path(call.argument("folder")), require_empty=False)
    Checkpoint(training.to_save, saver, filename_pattern="training.pt")(training.trainer)


@steps.step("train.resume")
def resume(call):
    file = call.path(call.argument("folder") + "/training.pt")
    Checkpoint.load_objects(call.find("of").to_save, file)


class Ignite(TorchRanks):
    name = "ignite"
    implementation = "PyTorch Ignite " + ignite.__version__
    conventions = TorchRanks.conventions | {"schedule_unit": "batch"}
    steps = steps

    @contextlib.contextmanager
    def given(self, given):
        idist.initialize("gloo", timeout=COLLECTIVE_TIMEOUT)
        yield {}


if __name__ == "__main__":
    sys.exit(protocol.serve(Ignite()))
