"""callback.*: tf.keras.callbacks, which are Keras's, and callbacks of one's own."""

import os

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("callback.learning_rate_scheduler")
def learning_rate_scheduler(call):
    scheduler = tf.keras.callbacks.LearningRateScheduler
    if call.has("factor"):
        factor = float(call.argument("factor"))
        # operations.md (callback.learning_rate_scheduler)
        return scheduler(lambda epoch, rate: factor * rate)
    rates = [float(rate) for rate in call.argument("rates")]
    return scheduler(lambda epoch: rates[epoch])


@steps.step("callback.model_checkpoint")
def model_checkpoint(call):
    return tf.keras.callbacks.ModelCheckpoint(
        call.path(call.argument("path")),
        monitor=call.argument("monitor", "val_loss"),
        save_best_only=call.argument("save_best_only", False),
        save_weights_only=call.argument("save_weights_only", False),
        save_freq=call.argument("save_freq", "epoch"),
    )


@steps.step("callback.early_stopping")
def early_stopping(call):
    return tf.keras.callbacks.EarlyStopping(
        monitor=call.argument("monitor"),
        patience=call.argument("patience", 0),
        restore_best_weights=call.argument("restore_best_weights", False),
    )


@steps.step("callback.reduce_on_plateau")
def reduce_on_plateau(call):
    return tf.keras.callbacks.ReduceLROnPlateau(
        monitor=call.argument("monitor"), factor=call.argument("factor"), patience=call.argument("patience")
    )


@steps.step("callback.terminate_on_nan")
def terminate_on_nan(call):
    return tf.keras.callbacks.TerminateOnNaN()


@steps.step("callback.csv_logger")
def csv_logger(call):
    return tf.keras.callbacks.CSVLogger(call.path(call.argument("file")), append=call.argument("append", False))


@steps.step("callback.tensorboard")
def tensorboard(call):
    return tf.keras.callbacks.TensorBoard(call.path(call.argument("folder")))


@steps.step("callback.tensorboard_scalars")
def tensorboard_scalars(call):
    folder, numbers = call.path(call.argument("folder")), []
    for file in sorted(os.listdir(folder)):  # operations.md (callback.tensorboard_scalars)
        for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, file)):
            values = [value for value in event.summary.value if value.tag == call.argument("name")]
            numbers.extend(float(tf.make_ndarray(value.tensor)) for value in values)
    return numbers


@steps.step("callback.backup_and_restore")
def backup_and_restore(call):
    return tf.keras.callbacks.BackupAndRestore(
        call.path(call.argument("folder")), save_freq=call.argument("save_freq", "epoch")
    )


class Record(tf.keras.callbacks.Callback):
    """Notes every call, and the learning rate at the end of each epoch."""

    def __init__(self):
        super().__init__()
        self.calls = []
        self.learning_rates = []

    def on_train_begin(self, logs=None):
        self.calls.append("train_begin")

    def on_train_end(self, logs=None):
        self.calls.append("train_end")

    def on_epoch_begin(self, epoch, logs=None):
        self.calls.append(f"epoch_begin {epoch}")

    def on_epoch_end(self, epoch, logs=None):
        self.calls.append(f"epoch_end {epoch}")
        rate = self.model.optimizer.learning_rate
        self.learning_rates.append(float(tf.convert_to_tensor(rate)))

    def on_train_batch_begin(self, batch, logs=None):
        self.calls.append(f"train_batch_begin {batch}")

    def on_train_batch_end(self, batch, logs=None):
        self.calls.append(f"train_batch_end {batch}")

    def on_test_begin(self, logs=None):
        self.calls.append("test_begin")

    def on_test_end(self, logs=None):
        self.calls.append("test_end")

    def on_test_batch_begin(self, batch, logs=None):
        self.calls.append(f"test_batch_begin {batch}")

    def on_test_batch_end(self, batch, logs=None):
        self.calls.append(f"test_batch_end {batch}")


@steps.step("callback.record")
def record(call):
    return Record()


@steps.step("callback.calls")
def calls(call):
    return call.find("of").calls


@steps.step("callback.learning_rates")
def learning_rates(call):
    return call.find("of").learning_rates


class FailAt(tf.keras.callbacks.Callback):
    """Fails when an epoch begins, or a batch of it."""

    def __init__(self, epoch, batch=None):
        super().__init__()
        self.epoch = epoch
        self.batch = batch
        self.is_in_epoch = False

    def on_epoch_begin(self, epoch, logs=None):
        self.is_in_epoch = epoch == self.epoch
        if self.is_in_epoch and self.batch is None:
            raise ValueError(f"fails at epoch {epoch}")

    def on_train_batch_begin(self, batch, logs=None):
        if self.is_in_epoch and batch == self.batch:
            raise ValueError(f"fails at batch {batch}")


@steps.step("callback.fail_at")
def fail_at(call):
    return FailAt(call.argument("epoch"), call.argument("batch", None))
