"""A fit at whose batches and passes the program stops, to look around and go on."""

import threading

import pytorch_lightning as pl
import torch

from conformance.testees.lightning.trainer import trainer_of


class Fit(pl.Callback):
    """One call of `Trainer.fit`, without an end.

        fit = Fit(module, options)
        fit.begin()            # up to where the loader is requested
        fit.loader = loader
        fit.go_on()            # up to the end of the first batch

    It runs in a thread of its own, which waits inside the hooks of Lightning where users look
    at what was trained: `train_dataloader` of the module, `on_train_batch_end`,
    `on_validation_end` and `on_train_epoch_end` of a callback. `module` is a Fitted.
    """

    def __init__(self, module, options):
        self.loader = None
        self.validation_loader = None
        self.is_over = False
        self.can_validate = False  # at the end of a batch, once
        self.losses = []  # of each pass, as logged
        self.trainer = trainer_of(callbacks=[self], max_epochs=-1, val_check_interval=1, limit_val_batches=0, **options)
        self.module = module
        self._error = None
        self._turn_of_fit, self._turn_of_program = threading.Semaphore(0), threading.Semaphore(0)
        module.fit = self

    @property
    def batches(self):
        """How many this training has had, those before a checkpoint included."""
        return self.trainer.fit_loop.total_batch_idx + 1

    @property
    def epochs(self):
        """How many passes it has made, likewise."""
        return self.trainer.fit_loop.epoch_progress.current.processed

    def begin(self, checkpoint=None):
        """Begins, or goes on from a checkpoint, up to where the loader is requested."""
        thread = threading.Thread(target=self._run, args=(checkpoint,), daemon=True)
        self._leave_it_to(thread.start)

    def go_on(self):
        """Lets it run up to the next stop, or its end. Raises what the fit raised."""
        self._leave_it_to(self._turn_of_fit.release)

    def validate(self):
        """Validates after this batch, which it does not do otherwise; returns what is logged."""
        self.trainer.limit_val_batches = 1.0
        self.go_on()
        self.trainer.limit_val_batches = 0
        return self.trainer.callback_metrics

    def pause(self):
        """In the fit: lets the program go on."""
        self._turn_of_program.release()
        self._turn_of_fit.acquire()

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        self.can_validate = True
        self.pause()
        self.can_validate = False

    def on_validation_end(self, trainer, module):
        self.pause()

    def on_train_epoch_end(self, trainer, module):
        # https://lightning.ai/docs/pytorch/stable/extensions/logging.html (callback_metrics)
        self.losses += [trainer.callback_metrics[name].item() for name in module.logged]
        self.pause()

    def _leave_it_to(self, resume):
        if not self.is_over:
            resume()
            self._turn_of_program.acquire()
        if self._error:
            raise self._error

    def _run(self, checkpoint):
        torch.set_num_threads(1)  # a setting of each thread
        try:
            self.trainer.fit(self.module, ckpt_path=checkpoint)
        except BaseException as error:
            self._error = error
        self.is_over = True
        self._turn_of_program.release()


class Fitted(pl.LightningModule):
    """The base of what a Fit trains."""

    logged = ()  # the names of what is logged of a pass

    def train_dataloader(self):
        self.fit.pause()
        return self.fit.loader

    def val_dataloader(self):
        return self.fit.validation_loader
