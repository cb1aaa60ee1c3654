"""fashion_mnist_cnn by Keras's compile and fit, on its TensorFlow backend.

One replica runs without a strategy; several under MirroredStrategy over logical CPU
devices. fit's own loop is timed by a callback. Its loss is the running mean over an
epoch, from which the callback takes each step's apart.
"""

import os

from benchmarks.peers.workloads import fashion_mnist_cnn as workload
from benchmarks.peers import tensorflow_mirrored, training_script
from benchmarks.peers.block_clock import BlockClock


def add_flags(parser):
    tensorflow_mirrored.add_flags(parser)
    parser.set_defaults(steps_per_call=None)


def steps_per_execution(arguments):
    """The requested number, else the fastest that works.

    Under MirroredStrategy on a processor Keras 3.15.1 fails with more than 1:
    "You must feed a value for placeholder tensor".
    """
    return arguments.steps_per_call or (10 if arguments.replicas == 1 else 1)


def make_callback(tf, clock, arguments):
    class Clock(tf.keras.callbacks.Callback):
        """Closes blocks, and the training when the last is closed."""

        losses = []

        def on_train_batch_end(self, batch, logs=None):
            if arguments.epochs:
                return
            self.losses.append(logs["loss"] * (batch + 1))
            clock.steps_done(arguments.steps_per_call)

        def on_epoch_end(self, epoch, logs=None):
            if arguments.epochs:
                self.losses.append(logs["loss"])
                clock.epoch_done()

        def step_losses(self):
            """The mean loss of each call's steps, from fit's running mean."""
            if arguments.epochs:
                return self.losses
            sums = [0.0, *self.losses]
            calls = zip(sums[1:], sums[:-1], strict=True)
            return [(sum_ - before) / arguments.steps_per_call for sum_, before in calls]

    return Clock()


def compile_model(tf, strategy, arguments):
    module = tensorflow_mirrored.module_of(workload.NAME)
    with strategy.scope():
        model = module.make_model(arguments)
        model.compile(
            optimizer=module.make_optimizer(arguments),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            jit_compile=arguments.jit,
            steps_per_execution=arguments.steps_per_call,
        )
    return model


def main():
    parser = training_script.argument_parser(__doc__)
    add_flags(parser)
    arguments = training_script.check(parser, parser.parse_args(), workload)
    arguments.steps_per_call = steps_per_execution(arguments)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    strategy = tensorflow_mirrored.configure(tf, arguments)
    if arguments.replicas == 1:
        strategy = tf.distribute.get_strategy()
    images, labels = workload.load(arguments.data, "train")
    dataset = tensorflow_mirrored.make_dataset(tf, arguments, images, labels, repeat=not arguments.epochs)
    model = compile_model(tf, strategy, arguments)
    clock = BlockClock(arguments, len(labels))
    callback = make_callback(tf, clock, arguments)
    steps = None if arguments.epochs else clock.training_steps
    model.fit(
        dataset, epochs=arguments.epochs or 1, steps_per_epoch=steps, callbacks=[callback], shuffle=False, verbose=0
    )
    more = {"input": arguments.input, "jit": arguments.jit}
    if arguments.epochs:
        test = workload.load(arguments.data, "t10k")
        more["test_accuracy"] = tensorflow_mirrored.accuracy(model, *test)
    versions = {"tensorflow": tf.__version__, "keras": tf.keras.__version__}
    losses = callback.step_losses()
    training_script.report(workload, "keras_fit", arguments, versions, clock.samples, losses, **more)


if __name__ == "__main__":
    main()
