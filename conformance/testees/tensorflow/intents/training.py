"""A training as TensorFlow's document on custom training loops writes it."""

import tensorflow as tf

from conformance.testees.python.errors import Unsupported
from conformance.testees.tensorflow.intents.model import loss_of
from conformance.testees.tensorflow.intents.optimizer import optimizer_of


class Training:
    """Model, optimizer and the functions of a step, all made in the strategy's scope.

    `request` is a TrainingRequest, `described` a RequestedModel.
    """

    def __init__(self, described, request):
        self.request = request
        self.strategy = tf.distribute.get_strategy()
        self.model = described.build(request.precision, request.sync_batch_norm)
        self.optimizer = optimizer_of(request)
        self.optimizer.build(self.model.trainable_variables)
        self.loss = loss_of(described.request, "none")
        self.epoch = tf.Variable(0, trainable=False)
        self.batches = tf.Variable(0, trainable=False)
        self.losses = []
        # Keras's optimizers accumulate under a strategy in no tf.function: RuntimeError.
        compiled = request.accumulate == 1
        step = self._distributed_step  # without control flow that AutoGraph would convert
        self._step = tf.function(step, autograph=False) if compiled else step

    def distribute(self, dataset):
        return self.strategy.experimental_distribute_dataset(dataset)

    def train_on(self, batch, global_batch):
        """A step on a distributed batch; gives its loss."""
        if self.model.request.ignored is not None:
            raise Unsupported("its documents divide the loss by the elements of labels, whether they count or not")
        loss = self._step(batch, tf.constant(global_batch))
        self.batches.assign_add(1)
        return loss

    def train_epoch(self, loader, most_batches=None):
        """A pass. Gives whether it came to its end before there were so many batches."""
        loader.leave()
        total, count = 0.0, 0
        while (batch := loader.next_of_pass(self.distribute)) is not None:
            # https://www.tensorflow.org/tutorials/distribute/custom_training (total_loss)
            total += self.train_on(batch, loader.global_batch)
            count += 1
            if most_batches is not None and self.batches >= most_batches:
                return False
        if count:  # else all of it was trained on before an interruption
            # https://www.tensorflow.org/tutorials/distribute/custom_training (train_loss)
            self.losses.append(float(total / count))
        self.epoch.assign_add(1)
        return True

    def scaled(self, loss):
        """The loss that is differentiated."""
        return self.optimizer.scale_loss(loss)

    def unscaled(self, gradients):
        """What the optimizer is given; Keras 3's unscale by themselves."""
        return gradients

    def _distributed_step(self, batch, global_batch):
        losses = self.strategy.run(self._replica_step, args=(global_batch, *batch))
        return self.strategy.reduce("SUM", losses, axis=None)

    def _replica_step(self, global_batch, inputs, labels, weights=None):
        with tf.GradientTape() as tape:
            calls = [self.model(inputs, training=True) for _ in range(self.request.calls)]
            losses = [self._average(labels, outputs, global_batch, weights) for outputs in calls]
            # intents.md (train.create, calls)
            loss = sum(losses) / len(losses)
            if self.model.losses:
                # https://www.tensorflow.org/tutorials/distribute/custom_training (scale_regularization_loss)
                loss += tf.nn.scale_regularization_loss(tf.add_n(self.model.losses))
            scaled = self.scaled(loss)
        variables = self.model.trainable_variables
        gradients = self.unscaled(tape.gradient(scaled, variables))
        self.optimizer.apply_gradients(zip(gradients, variables))
        return loss

    def _average(self, labels, outputs, global_batch, weights):
        """The loss of examples over the global batch size, as the document has it."""
        losses = self.loss(labels, outputs)
        if self.model.request.over == "tokens":
            # https://www.tensorflow.org/tutorials/distribute/custom_training ("If `labels` is multi-dimensional")
            losses /= tf.cast(tf.reduce_prod(tf.shape(labels)[1:]), losses.dtype)
        return tf.nn.compute_average_loss(losses, sample_weight=weights, global_batch_size=global_batch)


def weights_of(request, labels):
    """1 for each label that counts, 0 for one that is ignored."""
    if request.ignored is None:
        return tf.ones(tf.shape(labels), tf.int32)
    return tf.cast(labels != request.ignored, tf.int32)
