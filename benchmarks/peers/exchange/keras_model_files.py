"""Writes and reads model files with real Keras and TensorFlow, to hold ours against.

  keras_model_files.py --write DIR     trains --steps steps of Adam, saves DIR/model.keras,
      DIR/model.weights.h5 and DIR/model.safetensors, and writes DIR/expected.json: what
      the model predicts then, what it evaluates to, and the losses of --next steps more.
  keras_model_files.py --read DIR      loads DIR/model.keras as a whole, asks it for the
      same, trains on, and prints the same JSON; DIR/model.weights.h5,
      DIR/model.safetensors and DIR/saved_model, as far as they are there, are loaded
      too, and what they predict stands in "weights", "safetensors", "saved_model";
      "fine_tuned" is the loss of the SavedModel before and after a step of its own.

The model has what models of layers are made of: convolution, normalization, a skip
connection, a model in the model, two tensors joined. --model=sequential is a short one.
examples/model_interop.cc has the same models and batches.
"""

import argparse
import json
import os
import pathlib

BATCH_SIZE = 8
CLASSES = 3


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", type=pathlib.Path, metavar="DIR")
    mode.add_argument("--read", type=pathlib.Path, metavar="DIR")
    add("--steps", type=int, default=3, help="steps before the files (3)")
    add("--next", type=int, default=2, help="steps after them (2)")
    add("--model", choices=MODELS, default="functional", help="(functional)")
    return parser.parse_args()


def batch(np):
    """Images with elements 0, 0.1, ... 1 and their labels."""
    example, row, column = np.meshgrid(
        np.arange(BATCH_SIZE), np.arange(6), np.arange(6), indexing="ij"
    )
    images = (example * 7 + row * 3 + column * 5) % 11 / 10
    return (
        images[..., np.newaxis].astype(np.float32),
        (np.arange(BATCH_SIZE) % CLASSES).astype(np.int32),
    )


def functional(keras):
    layers = keras.layers
    image = keras.Input((6, 6, 1), name="image")
    x = layers.Conv2D(4, 3, padding="same", activation="relu")(image)
    y = layers.BatchNormalization(momentum=0.5)(x)
    y = layers.ReLU()(y)
    y = layers.Add()([x, y])
    y = layers.Flatten()(layers.MaxPooling2D()(y))
    inner = keras.Sequential(
        [layers.Dense(6, activation="tanh"), layers.Dense(4)], name="inner"
    )
    y = layers.Concatenate()([inner(y), layers.GlobalAveragePooling2D()(x)])
    return keras.Model(image, layers.Dense(CLASSES, name="logits")(y), name="small")


def sequential(keras):
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((6, 6, 1)),
            layers.ZeroPadding2D(1),
            layers.Conv2D(2, 3, strides=2, use_bias=False),
            layers.AveragePooling2D(2, padding="same"),
            layers.Flatten(),
            layers.Dense(CLASSES, kernel_regularizer=keras.regularizers.L2(0.01)),
        ],
        name="short",
    )


MODELS = {"functional": functional, "sequential": sequential}


def make_model(keras, name):
    """Compiled, with Keras' own weights."""
    keras.utils.set_random_seed(1)
    model = MODELS[name](keras)
    model.compile(
        optimizer=keras.optimizers.Adam(0.01),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def train(model, images, labels, steps):
    """Losses of that many steps, each on the whole batch."""
    return [
        model.fit(images, labels, batch_size=BATCH_SIZE, shuffle=False, verbose=0).history[
            "loss"
        ][0]
        for _ in range(steps)
    ]


def answers(model, images, labels):
    """What a model gives, before it is trained on."""
    loss, accuracy = model.evaluate(images, labels, batch_size=BATCH_SIZE, verbose=0)
    return {
        "predictions": model.predict(images, verbose=0).tolist(),
        "loss": loss,
        "accuracy": accuracy,
    }


def named_weights(model):
    """By the layer and the weight: the path says in which model it was made, too."""
    return {"/".join(v.path.split("/")[-2:]): v for v in model.variables}


def write(keras, arguments, images, labels):
    from safetensors.numpy import save_file

    model = make_model(keras, arguments.model)
    train(model, images, labels, arguments.steps)
    model.save(arguments.write / "model.keras")
    model.save_weights(arguments.write / "model.weights.h5")
    weights = {name: value.numpy() for name, value in named_weights(model).items()}
    save_file(weights, arguments.write / "model.safetensors")
    return model, answers(model, images, labels)


def read_saved_model(folder, images, labels):
    """What a SavedModel predicts, and its loss before and after a step of ours."""
    import tensorflow as tf

    loaded = tf.saved_model.load(folder)
    x, y = tf.constant(images), tf.constant(labels)
    predictions = loaded.serve(x)

    def loss():
        per_example = tf.nn.sparse_softmax_cross_entropy_with_logits(y, loaded.serve(x))
        return tf.reduce_mean(per_example)

    with tf.GradientTape() as tape:
        before = loss()
    weights = loaded.trainable_variables
    for weight, gradient in zip(weights, tape.gradient(before, weights), strict=True):
        weight.assign_sub(0.01 * gradient)
    serving = next(iter(loaded.signatures["serving_default"](x).values()))
    return {
        "saved_model": predictions.numpy().tolist(),
        "signature_changed": float(abs(serving - predictions).numpy().max()),
        "fine_tuned": [float(before), float(loss())],
        "trainable": len(weights),
    }


def read_parts(keras, arguments, images, labels):
    """Predictions by the other files that are there."""
    parts = {}
    if (arguments.read / "model.weights.h5").exists():
        model = make_model(keras, arguments.model)
        model(images)
        model.load_weights(arguments.read / "model.weights.h5")
        parts["weights"] = model.predict(images, verbose=0).tolist()
    if (arguments.read / "model.safetensors").exists():
        from safetensors.numpy import load_file

        model = keras.models.load_model(arguments.read / "model.keras")
        stored = load_file(arguments.read / "model.safetensors")
        variables = named_weights(model)
        if sorted(stored) != sorted(variables):
            raise SystemExit(f"safetensors has {sorted(stored)}, not {sorted(variables)}")
        for name, value in stored.items():
            variables[name].assign(value)
        parts["safetensors"] = model.predict(images, verbose=0).tolist()
    if (arguments.read / "saved_model").exists():
        parts |= read_saved_model(str(arguments.read / "saved_model"), images, labels)
    return parts


def main():
    arguments = parse_arguments()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras
    import numpy as np

    images, labels = batch(np)
    if arguments.write:
        model, result = write(keras, arguments, images, labels)
    else:
        model = keras.models.load_model(arguments.read / "model.keras")
        result = answers(model, images, labels)
        result |= read_parts(keras, arguments, images, labels)
    result["iterations"] = int(model.optimizer.iterations.numpy())
    result["next_losses"] = train(model, images, labels, arguments.next)
    result["versions"] = {"keras": keras.__version__}
    if arguments.write:
        text = json.dumps(result, indent=1) + "\n"
        (arguments.write / "expected.json").write_text(text)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
