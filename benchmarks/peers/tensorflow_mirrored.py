"""A workload by TensorFlow's MirroredStrategy and the document's own loop.

The replicas are logical CPU devices. As the custom-training document: a train step in
strategy.run, the loss by compute_average_loss, the sum by strategy.reduce. A workload's
own parts, such as its model, are in a module each.
"""

import importlib
import os

from benchmarks.peers import training_script
from benchmarks.peers.block_clock import BlockClock

INPUTS = ("gather", "document")

# Workload -> its module, which imports TensorFlow, and the form in it.
MODULES = {
    "bert": ("tensorflow_bert", "real"),
    "bert_small": ("tensorflow_bert", "small"),
    "densenet": ("tensorflow_densenet", "real"),
    "densenet_small": ("tensorflow_densenet", "small"),
    "fashion_mnist_cnn": ("tensorflow_fashion_mnist_cnn", None),
    "ncf": ("tensorflow_ncf", "real"),
    "ncf_small": ("tensorflow_ncf", "small"),
    "nmt": ("tensorflow_nmt", "real"),
    "nmt_small": ("tensorflow_nmt", "small"),
}


def module_of(name):
    """A workload's parts: workload, make_model, make_optimizer, make_loss and load. Imports TensorFlow."""
    file, form = MODULES[name]
    module = importlib.import_module(f"benchmarks.peers.workloads.{file}")
    return getattr(module, form) if form else module


def add_flags(parser):
    add = parser.add_argument
    add("--inter-op-threads", type=int, help="threads between operations (--threads)")
    add("--input", choices=INPUTS, default="gather", help="how examples are shuffled")
    add("--steps-per-call", type=int, default=10, help="steps in one tf.function (10)")
    add("--jit", action="store_true", help="compile the step with XLA")


def add_workload_flags(parser):
    parser.add_argument("--workload", choices=sorted(MODULES), default="fashion_mnist_cnn")
    parser.add_argument("--own-moments", action="store_true", help="densenet: each replica's, not those of all")


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


def make_dataset(tf, arguments, *arrays, repeat):
    """Shuffled batches of the arrays' rows. `gather` shuffles indices, which costs TensorFlow less."""
    size, count = arguments.global_batch_size, len(arrays[0])
    if arguments.input == "document":
        dataset = tf.data.Dataset.from_tensor_slices(arrays)
        dataset = dataset.shuffle(count, seed=arguments.seed)
        dataset = dataset.repeat() if repeat else dataset
        return dataset.batch(size, drop_remainder=repeat).prefetch(tf.data.AUTOTUNE)
    with tf.device("CPU:0"):
        arrays = [tf.constant(array) for array in arrays]
    dataset = tf.data.Dataset.range(count).shuffle(count, seed=arguments.seed)
    dataset = dataset.repeat() if repeat else dataset
    dataset = dataset.batch(size, drop_remainder=repeat)
    dataset = dataset.map(lambda i: tuple(tf.gather(array, i) for array in arrays))
    return dataset.prefetch(tf.data.AUTOTUNE)


def make_train_step(tf, strategy, module, arguments):
    """Functions that take several steps or one, giving losses; and the model."""
    with strategy.scope():
        model = module.make_model(arguments)
        optimizer = module.make_optimizer(arguments)
        optimizer.build(model.trainable_variables)
        loss_of = module.make_loss(model, arguments.global_batch_size)

    def replica_step(*arrays):
        with tf.GradientTape() as tape:
            loss = loss_of(*arrays)
        # Tables' gradients made dense, as TensorFlow's NCF does (sparse_to_dense_grads). Of sparse ones Keras 3.15.1
        # squares each example's row before it adds those of the same word.
        gradients = map(tf.convert_to_tensor, tape.gradient(loss, model.trainable_variables))
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


def train(tf, strategy, module, arguments):
    """The samples, the losses and what else is reported."""
    data = module.load(arguments, "train")
    dataset = make_dataset(tf, arguments, *data, repeat=not arguments.epochs)
    dataset = strategy.experimental_distribute_dataset(dataset)
    steps, global_step, model = make_train_step(tf, strategy, module, arguments)
    clock = BlockClock(arguments, len(data[0]))
    more = {"input": arguments.input, "jit": arguments.jit}
    losses = []
    if arguments.epochs:
        losses = train_epochs(dataset, global_step, arguments, clock)
        if not hasattr(module.workload, "ITEM"):
            more["test_accuracy"] = accuracy(model, *module.load(arguments, "test"))
    else:
        iterator = iter(dataset)
        while len(losses) < clock.training_steps:
            losses.extend(steps(iterator).numpy())
            clock.steps_done(arguments.steps_per_call)
    return clock.samples, losses, more


def main():
    parser = training_script.argument_parser(__doc__)
    add_flags(parser)
    add_workload_flags(parser)
    arguments = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    module = module_of(arguments.workload)
    training_script.check(parser, arguments, module.workload)
    strategy = configure(tf, arguments)
    samples, losses, more = train(tf, strategy, module, arguments)
    versions = {"tensorflow": tf.__version__, "keras": tf.keras.__version__}
    training_script.report(module.workload, "tensorflow_mirrored", arguments, versions, samples, losses, **more)


if __name__ == "__main__":
    main()
