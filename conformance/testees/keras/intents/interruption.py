"""An interruption of fit after some batches, as Keras's own example of one has it."""

import keras


class Interrupted(Exception):
    """What ends a fit that is interrupted."""


class Interruption(keras.callbacks.Callback):
    """Counts a training's global batches; interrupts fit after the last that it may have."""

    def __init__(self):
        super().__init__()
        self.batches = 0
        self.most_batches = None

    def expect(self, earlier_batches, most_batches):
        """So many at least were before, in a job that was left too; None: any number follows."""
        self.batches = max(self.batches, earlier_batches)
        self.most_batches = most_batches

    def on_train_batch_end(self, batch, logs=None):
        self.batches += 1
        if self.most_batches is not None and self.batches >= self.most_batches:
            raise Interrupted(f"after {self.batches} batches")
