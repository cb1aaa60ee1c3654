"""Writes and reads checkpoints with real TensorFlow, to compare ours with.

  tensorflow_checkpoint.py --write DIR     trains --steps steps on exact_fixture's
      batches under a strategy, saves DIR/ckpt-1, goes on for --next steps, and writes
      DIR/losses.json: the losses before and after the save, and a CRC-32 of the bytes
      of each saved variable.
  tensorflow_checkpoint.py --read DIR      (or a checkpoint's prefix) restores it into
      fresh objects, asserts that nothing in it is left over and no object is left
      without a value, takes --next steps from step --steps on and prints the same JSON.

The object is the custom-training document's: tf.train.Checkpoint(optimizer=Adam(),
model=Sequential([...])), both built. What TensorFlow 2.21.0 with Keras 3.15.1 writes:

  save_counter                                int64 []; .save() adds it, .write() not
  optimizer/_iterations                       int64 []
  optimizer/_learning_rate                    float32 []
  optimizer/_trainable_variables/0 .. 7       the model's variables, kernel before bias
  optimizer/_variables/2 .. 17                momentum, velocity of variable 0, of 1 ...

each followed by /.ATTRIBUTES/VARIABLE_VALUE. A key is the path of the first visit in a
breadth-first walk from the root, whose children come as model, optimizer, save_counter.
So the model's variables are found through the optimizer (3 names) before they are found
through the model (5: model/_functional/_operations/<layer>/_kernel or bias, the input
layer being 0), and only an optimizer that was never built leaves them there. The object
graph names each node by every path:

  root            model, optimizer, save_counter
  model           _functional -> _operations -> 0 .. 7 -> _kernel, bias  (+ empty
                  _tracked, _inbound_nodes, _outbound_nodes, _losses, _losses_override,
                  call_signature_parameters, _call_has_context_arg)
  optimizer       _variables (0 is _iterations, 1 is _learning_rate),
                  _trainable_variables, _trainable_variables_indices (empty),
                  _iterations, _learning_rate, _momentums, _velocities
                  (SGD: momentums, and no velocities)

There are no slot_variables and no registered_saver in it. Restoring matches the graph's
child names, never the keys. Keras 3 metrics are not trackable: tf.train.Checkpoint
refuses one with ValueError, and one held by a subclassed model is not saved.
"""

import argparse
import json
import os
import pathlib
import zlib

from benchmarks.peers import exact_fixture, tensorflow_mirrored
from benchmarks.peers.workloads import fashion_mnist_cnn as workload

GLOBAL_BATCH_SIZE = 16
# The custom-training document's, and one whose checkpoint is small enough to keep.
MODELS = ("document", "small")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", type=pathlib.Path, metavar="DIR")
    mode.add_argument("--read", type=pathlib.Path, metavar="DIR")
    add("--replicas", type=int, default=2, help="0: without a strategy (2)")
    add("--steps", type=int, default=10, help="steps before the checkpoint (10)")
    add("--next", type=int, default=3, help="steps after it (3)")
    add("--model", choices=MODELS, default="document", help="which one (document)")
    return parser.parse_args()


def make_strategy(tf, replicas):
    if replicas == 0:
        return tf.distribute.get_strategy()
    processor = tf.config.list_physical_devices("CPU")[0]
    logical = [tf.config.LogicalDeviceConfiguration()] * replicas
    tf.config.set_logical_device_configuration(processor, logical)
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])


def make_small_model(tf):
    """The document's with fewer filters and units, and TensorFlow's own weights."""
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((28, 28, 1)),
            layers.Conv2D(4, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(8, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(16, activation="relu"),
            layers.Dense(10),
        ]
    )


def make_objects(tf, strategy, name):
    """Model and Adam, both built, under the strategy."""
    with strategy.scope():
        if name == "small":
            model = make_small_model(tf)
        else:
            model = tensorflow_mirrored.module_of(workload.NAME).make_model()
            model.set_weights(exact_fixture.weights())
        optimizer = tf.keras.optimizers.Adam(workload.LEARNING_RATE, epsilon=workload.EPSILON)
        optimizer.build(model.trainable_variables)
        return model, optimizer, tf.train.Checkpoint(optimizer=optimizer, model=model)


def train(tf, strategy, model, optimizer, steps):
    """Takes the steps numbered `steps`; gives each one's loss over the global batch."""
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)

    @tf.function
    def global_step(images, labels):
        def replica_step(images, labels):
            with tf.GradientTape() as tape:
                per_example = loss_object(labels, model(images, training=True))
                loss = tf.nn.compute_average_loss(per_example, global_batch_size=GLOBAL_BATCH_SIZE)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        losses = strategy.run(replica_step, args=(images, labels))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    losses = []
    for step in steps:
        dataset = tf.data.Dataset.from_tensors(exact_fixture.batch(step, GLOBAL_BATCH_SIZE))
        for batch in strategy.experimental_distribute_dataset(dataset):
            losses.append(float(global_step(*batch)))
    return losses


def checksums(model, optimizer):
    """CRC-32 of every variable's little-endian bytes, in the checkpoint's order."""
    variables = model.trainable_variables + optimizer.variables
    return {v.path: zlib.crc32(v.numpy().tobytes()) for v in variables}


def write(tf, arguments, strategy, model, optimizer, checkpoint):
    before = train(tf, strategy, model, optimizer, range(arguments.steps))
    checkpoint.save(str(arguments.write / "ckpt"))
    return {"losses": before}


def read(tf, arguments, checkpoint):
    prefix = tf.train.latest_checkpoint(arguments.read) or str(arguments.read)
    status = checkpoint.restore(prefix)
    status.assert_existing_objects_matched()
    status.assert_consumed()
    return {"prefix": prefix, "consumed": True}


def main():
    arguments = parse_arguments()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    strategy = make_strategy(tf, arguments.replicas)
    model, optimizer, checkpoint = make_objects(tf, strategy, arguments.model)
    if arguments.write:
        result = write(tf, arguments, strategy, model, optimizer, checkpoint)
    else:
        result = read(tf, arguments, checkpoint)
    result["steps"] = int(optimizer.iterations.numpy())
    result["crc32"] = checksums(model, optimizer)
    upcoming = range(result["steps"], result["steps"] + arguments.next)
    result["next_losses"] = train(tf, strategy, model, optimizer, upcoming)
    result["global_batch_size"] = GLOBAL_BATCH_SIZE
    result["versions"] = {"tensorflow": tf.__version__, "keras": tf.keras.__version__}
    if arguments.write:
        (arguments.write / "losses.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
