"""Lightning: a checkpoint in the middle of a pass, resumed.

It goes on with the number of the next batch, but the DataLoader begins at its beginning: examples
that were trained on are trained on again, those after the interruption never in this pass.
Lightning warns: "You're resuming from a checkpoint that ended before the epoch ended and your
dataloader is not resumable. This can cause unreliable results if further training is done." The
document "Saving and loading checkpoints (basic)" has it that "Checkpoints also enable your
training to resume from where it was in case the training process is interrupted." A loader with
state_dict and load_state_dict, as the warning asks for, is asked and goes on; the gradients of an
open window of accumulate_grad_batches are lost with it, too.
"""

import logging
import os
import tempfile
import warnings

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader

warnings.simplefilter("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
QUIET = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)


class Resumable(DataLoader):
    given = 0

    def __iter__(self):
        behind, Resumable.given = Resumable.given, 0
        for place, batch in enumerate(super().__iter__()):
            Resumable.given = place + 1
            if place >= behind:
                yield batch
        Resumable.given = 0

    def state_dict(self):
        return {"given": Resumable.given}

    def load_state_dict(self, state):
        Resumable.given = state["given"]


class Seen(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))
        self.seen = []

    def training_step(self, batch, _):
        self.seen += batch.tolist()
        return self.weight * batch.float().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 1.0)


class Stop(pl.Callback):
    def __init__(self, file, after):
        self.file, self.after = file, after

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        if batch_idx + 1 == self.after:
            trainer.save_checkpoint(self.file)
            raise KeyboardInterrupt


def fit(loader, accumulate, checkpoint=None, callbacks=()):
    model = Seen()
    options = {"max_epochs": 1, "accumulate_grad_batches": accumulate, "callbacks": list(callbacks)}
    try:
        pl.Trainer(accelerator="cpu", devices=1, **options, **QUIET).fit(model, loader, ckpt_path=checkpoint)
    except SystemExit:
        pass
    return model


def interrupted(kind, accumulate, after):
    Resumable.given = 0
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "c.ckpt")
        first = fit(kind([1, 2, 4, 8]), accumulate, callbacks=[Stop(file, after)])
        Resumable.given = 0
        second = fit(kind([1, 2, 4, 8]), accumulate, file)
    return first.seen, second.seen, second.weight.item()


if __name__ == "__main__":
    for kind in (DataLoader, Resumable):
        for accumulate, after in ((1, 2), (2, 2), (2, 1), (2, 3)):
            Resumable.given = 0
            whole = fit(kind([1, 2, 4, 8]), accumulate).weight.item()
            print(pl.__version__, kind.__name__, f"windows of {accumulate}, after {after} batches:", end=" ")
            print("expected weight", whole, "observed", *interrupted(kind, accumulate, after), flush=True)
