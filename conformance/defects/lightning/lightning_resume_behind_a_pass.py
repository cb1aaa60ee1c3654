"""Lightning 2.6: going on from a checkpoint of a pass's last batch, a second time, repeats examples.

The checkpoint is written in on_train_batch_end, as ModelCheckpoint(every_n_train_steps=...) does,
here after the last batch of each pass of two. The document "Saving and loading checkpoints (basic)"
has it that "Checkpoints also enable your training to resume from where it was in case the training
process is interrupted." Expected: passes 0, 1, 2 and 3, of examples 1 and 2 each. The first restart is
right. In the checkpoint that is written after it the counts of batches and passes do not fit together:
the second restart has pass 1 again, the third begins with the last batch of the pass that is over.
Near Lightning-AI/pytorch-lightning#18060 and #19815 (a batch is counted behind on_train_batch_end).
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


class Seen(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))
        self.seen = []

    def training_step(self, batch, _):
        self.seen.append((self.current_epoch, batch.item()))
        return self.weight * batch.float().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 1.0)


class Stop(pl.Callback):
    def __init__(self, file, epoch):
        self.file, self.epoch = file, epoch

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        if trainer.current_epoch == self.epoch and batch_idx == 1:
            trainer.save_checkpoint(self.file)
            raise KeyboardInterrupt


def job(file, epoch):
    """What is trained on up to the end of this pass."""
    model, checkpoint = Seen(), file if os.path.exists(file) else None
    trainer = pl.Trainer(accelerator="cpu", devices=1, max_epochs=4, callbacks=[Stop(file, epoch)], **QUIET)
    try:
        trainer.fit(model, DataLoader([1, 2]), ckpt_path=checkpoint)
    except SystemExit:
        pass
    return model.seen


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(4):
            expected = [(epoch, 1), (epoch, 2)]
            observed = job(os.path.join(folder, "c.ckpt"), epoch)
            print(pl.__version__, "job", epoch, "expected (pass, example)", expected, "observed", observed, flush=True)
