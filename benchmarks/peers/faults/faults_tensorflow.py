"""A worker for //benchmarks/faults: TensorFlow's MultiWorkerMirroredStrategy.

As the document on multi-worker training has it: TF_CONFIG, a custom loop, a
CheckpointManager whose folder is the chief's, and a temporary one on the others.
"""

import os
import shutil
import sys

from benchmarks.peers.faults import faults_worker as worker

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import tensorflow as tf  # noqa: E402  (reads the level when it is imported)


def make_strategy(arguments):
    ring = tf.distribute.experimental.CommunicationImplementation.RING
    return tf.distribute.MultiWorkerMirroredStrategy(
        communication_options=tf.distribute.experimental.CommunicationOptions(
            implementation=ring, timeout_seconds=arguments.timeout or None
        )
    )


class Training:
    """Variables, optimizer and the step of all replicas."""

    def __init__(self, strategy):
        self.strategy = strategy
        with strategy.scope():
            self.weights = tf.Variable(tf.ones([worker.FEATURES, 1]))
            self.optimizer = tf.keras.optimizers.SGD(worker.LEARNING_RATE, momentum=worker.MOMENTUM)
            self.optimizer.build([self.weights])

    def objects(self):
        return {"weights": self.weights, "optimizer": self.optimizer}

    def steps_taken(self):
        return int(self.optimizer.iterations.numpy())

    def replica_step(self, rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(rows @ self.weights) / worker.BATCH
        gradient = tape.gradient(loss, self.weights)
        self.optimizer.apply_gradients([(gradient, self.weights)])
        return loss

    @tf.function
    def step(self, batch):
        losses = self.strategy.run(self.replica_step, args=(batch,))
        return self.strategy.reduce("SUM", losses, axis=None)

    def epoch(self):
        """Losses of the steps that are left of an epoch, one after the other."""
        done = self.steps_taken() % worker.STEPS_PER_EPOCH
        rows = worker.examples()[done * worker.BATCH :]
        data = tf.data.Dataset.from_tensor_slices(rows).batch(worker.BATCH)
        options = tf.data.Options()
        shard = tf.data.experimental.AutoShardPolicy.DATA
        options.experimental_distribute.auto_shard_policy = shard
        data = self.strategy.experimental_distribute_dataset(data.with_options(options))
        for batch in data:
            yield float(self.step(batch))


def work(arguments):
    _, index = worker.cluster()
    training = Training(make_strategy(arguments))
    checkpoint = tf.train.Checkpoint(**training.objects())
    latest = tf.train.latest_checkpoint(arguments.directory)
    if latest:
        checkpoint.restore(latest).assert_consumed()
    temporary = os.path.join(arguments.directory, f"workertemp_{index}")
    folder = arguments.directory if index == 0 else temporary
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=worker.KEPT_CHECKPOINTS)
    worker.say("joined", step=training.steps_taken())
    while training.steps_taken() < arguments.epochs * worker.STEPS_PER_EPOCH:
        for loss in training.epoch():
            step = training.steps_taken()
            worker.say("step", step=step, loss=loss)
            if step % arguments.save_every == 0:
                worker.say("saving", step=step)
                manager.save()
                worker.say("saved", step=step)
    worker.say("trained", weights=worker.changed_weights(training.weights.numpy()))
    if index != 0:
        shutil.rmtree(temporary, ignore_errors=True)


def main():
    arguments = worker.parse(__doc__)
    worker.say("started")
    sys.exit(worker.run(lambda: work(arguments)))


if __name__ == "__main__":
    main()
