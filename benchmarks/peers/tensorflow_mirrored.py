"""fashion_mnist_cnn by TensorFlow's MirroredStrategy and the document's own loop.

The replicas are logical CPU devices. As the custom-training document: a train step in
strategy.run, the loss by compute_average_loss, the sum by strategy.reduce.
"""

import os

from benchmarks.peers.workloads import fashion_mnist_cnn as workload
from benchmarks.peers import training_script
from benchmarks.peers.block_clock import BlockClock

INPUTS = ("gather", "document")


def add_flags(parser):
    add = parser.add_argument
    add("--inter-op-threads", type=int, help="threads between operations (--threads)")
    add("--input", choices=INPUTS, default="gather", help="how images are shuffled")
    add("--steps-per-call", type=int, default=10, help="steps in one tf.function (10)")
    add("--jit", action="store_true", help="compile the step with XLA")


def configure(tf, arguments):
    tf.keras.utils.set_random_seed(arguments.seed)
    tf.config.threading.set_intra_op_parallelism_threads(arguments.threads)
    inter = arguments.inter_op_threads or max(arguments.threads, arguments.replicas)
    tf.config.threading.set_inter_op_parallelism_threads(inter)
    processor = tf.config.list_physical_devices("CPU")[0]
    logical = [tf.config.LogicalDeviceConfiguration()] * arguments.replicas
    tf.config.set_logical_device_configuration(processor, logical)
    names = [f"CPU:{index}" for index in range(arguments.replicas)]
    return tf.distribute.MirroredStrategy(names)


def make_dataset(tf, arguments, images, labels, repeat):
    """Shuffled batches. `gather` shuffles indices, which costs TensorFlow less."""
    size = arguments.global_batch_size
    if arguments.input == "document":
        dataset = tf.data.Dataset.from_tensor_slices((images, labels))
        dataset = dataset.shuffle(len(images), seed=arguments.seed)
        dataset = dataset.repeat() if repeat else dataset
        return dataset.batch(size, drop_remainder=repeat).prefetch(tf.data.AUTOTUNE)
    with tf.device("CPU:0"):
        images, labels = tf.constant(images), tf.constant(labels)
    dataset = tf.data.Dataset.range(len(labels)).shuffle(len(labels), seed=arguments.seed)
    dataset = dataset.repeat() if repeat else dataset
    dataset = dataset.batch(size, drop_remainder=repeat)
    dataset = dataset.map(lambda i: (tf.gather(images, i), tf.gather(labels, i)))
    return dataset.prefetch(tf.data.AUTOTUNE)


def make_model(tf, built=True):
    layers = tf.keras.layers
    inputs = [layers.Input((28, 28, 1))] if built else []
    return tf.keras.Sequential(
        inputs
        + [
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )


def make_train_step(tf, strategy, arguments):
    """Functions that take several steps or one, giving losses; and the model."""
    with strategy.scope():
        model = make_model(tf)
        optimizer = tf.keras.optimizers.Adam(workload.LEARNING_RATE, epsilon=workload.EPSILON)
        optimizer.build(model.trainable_variables)
        loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)

    def replica_step(images, labels):
        with tf.GradientTape() as tape:
            per_example = loss_object(labels, model(images, training=True))
            loss = tf.nn.compute_average_loss(per_example, global_batch_size=arguments.global_batch_size)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    if arguments.jit:
        replica_step = tf.function(replica_step, jit_compile=True)

    def global_step(batch):
        losses = strategy.run(replica_step, args=batch)
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    @tf.function
    def steps(iterator):
        losses = tf.TensorArray(tf.float32, arguments.steps_per_call)
        for index in tf.range(arguments.steps_per_call):
            losses = losses.write(index, global_step(next(iterator)))
        return losses.stack()

    return steps, tf.function(global_step), model


def accuracy(model, images, labels):
    return float((model.predict(images, 1000, verbose=0).argmax(1) == labels).mean())


def train_epochs(dataset, global_step, arguments, clock):
    """The document's loop over whole epochs; gives each epoch's mean loss."""
    means = []
    for _ in range(arguments.epochs):
        losses = [global_step(batch) for batch in dataset]
        means.append(sum(float(loss) for loss in losses) / len(losses))
        clock.epoch_done()
    return means


def main():
    parser = training_script.argument_parser(__doc__)
    add_flags(parser)
    arguments = training_script.check(parser, parser.parse_args(), workload)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    strategy = configure(tf, arguments)
    data = workload.load(arguments.data, "train")
    repeat = not arguments.epochs
    dataset = strategy.experimental_distribute_dataset(make_dataset(tf, arguments, *data, repeat))
    steps, global_step, model = make_train_step(tf, strategy, arguments)
    clock = BlockClock(arguments, len(data[1]))
    more = {"input": arguments.input, "jit": arguments.jit}
    if arguments.epochs:
        losses = train_epochs(dataset, global_step, arguments, clock)
        test = workload.load(arguments.data, "t10k")
        more["test_accuracy"] = accuracy(model, *test)
    else:
        losses, iterator = [], iter(dataset)
        while len(losses) < clock.training_steps:
            losses.extend(steps(iterator).numpy())
            clock.steps_done(arguments.steps_per_call)
    versions = {"tensorflow": tf.__version__, "keras": tf.keras.__version__}
    training_script.report(workload, "tensorflow_mirrored", arguments, versions, clock.samples, losses, **more)


if __name__ == "__main__":
    main()
