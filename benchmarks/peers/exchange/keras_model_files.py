"""Writes and reads model files with real Keras and TensorFlow, to compare ours with.

  keras_model_files.py --write DIR     trains --steps steps of Adam, saves DIR/model.keras,
      DIR/model.weights.h5 and DIR/model.safetensors, and writes DIR/expected.json: what
      the model predicts then, what it evaluates to, and the losses of --next steps more.
  keras_model_files.py --read DIR      loads DIR/model.keras as a whole, asks it for the
      same, trains on, and prints the same JSON; DIR/model.weights.h5,
      DIR/model.safetensors, DIR/keras2_weights and DIR/saved_model, as far as they are
      there, are loaded too, the second last by tf_keras, and their predictions are in
      "weights", "safetensors", "keras2_weights", "saved_model";
      "fine_tuned" is the loss of the SavedModel before and after a step of its own.

The model has what models of layers are made of: convolution, normalization, a skip
connection, a model in the model, two tensors joined. --model=sequential is a short one,
scaled the same with a loss scale that grows after the second step, attention one of
tokens, words one of words, with vocabularies that it learned and bins of hashes.
examples/model_interop.cc has the same models and batches.
"""

import argparse
import json
import os
import pathlib

BATCH_SIZE = 8
CLASSES = 3
TOKENS = 3
# Each is in the batch once: of one that occurs twice Keras 3.15.1 on TensorFlow
# adds the squares of both gradients to Adam's second moment, not the square of their sum.
WORDS = BATCH_SIZE * TOKENS


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", type=pathlib.Path, metavar="DIR")
    mode.add_argument("--read", type=pathlib.Path, metavar="DIR")
    add("--steps", type=int, default=3, help="steps before the files (3)")
    add("--next", type=int, default=2, help="steps after them (2)")
    add("--model", choices=MODELS, default="functional", help="(functional)")
    return parser.parse_args()


def words():
    return [[f"w{(example * 7 + place * 5) % 11}" for place in range(TOKENS)] for example in range(BATCH_SIZE)]


def batch(np, model):
    """Images with elements 0, 0.1, ... 1, or tokens or words, and their labels."""
    labels = (np.arange(BATCH_SIZE) % CLASSES).astype(np.int32)
    if model == "words":
        import tensorflow as tf

        return tf.constant(words()), labels
    if model == "attention":
        example, place = np.meshgrid(np.arange(BATCH_SIZE), np.arange(TOKENS), indexing="ij")
        return (example * TOKENS + place).astype(np.int32), labels
    example, row, column = np.meshgrid(np.arange(BATCH_SIZE), np.arange(6), np.arange(6), indexing="ij")
    images = (example * 7 + row * 3 + column * 5) % 11 / 10
    return images[..., np.newaxis].astype(np.float32), labels


def functional(keras):
    layers = keras.layers
    image = keras.Input((6, 6, 1), name="image")
    x = layers.Conv2D(4, 3, padding="same", activation="relu")(image)
    y = layers.BatchNormalization(momentum=0.5)(x)
    y = layers.ReLU()(y)
    y = layers.Add()([x, y])
    y = layers.Flatten()(layers.MaxPooling2D()(y))
    inner = keras.Sequential([layers.Dense(6, activation="tanh"), layers.Dense(4)], name="inner")
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


def attention(keras):
    layers = keras.layers
    tokens = keras.Input((TOKENS,), name="tokens")
    x = layers.Embedding(WORDS, 4)(tokens)
    y = layers.MultiHeadAttention(2, 3)(x, x)
    y = layers.LayerNormalization()(layers.Add()([x, y]))
    outputs = layers.Dense(CLASSES)(layers.Flatten()(y))
    return keras.Model(tokens, outputs, name="attention")


def of_words(keras):
    layers = keras.layers
    inputs = keras.Input((TOKENS,), dtype="string", name="words")
    seen = words()[:3]  # the others have words that are unknown
    learned = layers.StringLookup(output_mode="multi_hot")
    learned.adapt(seen)
    weighted = layers.TextVectorization(split=None, output_mode="tf_idf")
    weighted.adapt(seen)
    bins = layers.Hashing(4, output_mode="multi_hot")
    parts = [learned(inputs), weighted(inputs), bins(inputs)]
    return keras.Model(inputs, layers.Dense(CLASSES)(layers.Concatenate()(parts)), name="of_words")


MODELS = {
    "functional": functional,
    "sequential": sequential,
    "scaled": sequential,
    "attention": attention,
    "words": of_words,
}


def make_model(keras, name):
    """Compiled, with Keras' own weights."""
    keras.utils.set_random_seed(1)
    model = MODELS[name](keras)
    optimizer = keras.optimizers.Adam(0.01)
    if name == "scaled":
        optimizer = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=8.0, dynamic_growth_steps=2)
    model.compile(
        optimizer=optimizer, loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
    )
    return model


def train(model, images, labels, steps):
    """Losses of that many steps, each on the whole batch."""
    return [
        model.fit(images, labels, batch_size=BATCH_SIZE, shuffle=False, verbose=0).history["loss"][0]
        for _ in range(steps)
    ]


def answers(model, images, labels):
    """What a model gives, before it is trained on."""
    loss, accuracy = model.evaluate(images, labels, batch_size=BATCH_SIZE, verbose=0)
    return {"predictions": model.predict(images, verbose=0).tolist(), "loss": loss, "accuracy": accuracy}


def named_weights(keras, model):
    """By the layer and the weight: the path says in which models it was made, too."""
    inner = [layer.name for layer in model.layers if isinstance(layer, keras.Model)]
    models = {model.name, *inner}

    def name(path):
        parts = path.split("/")
        return "/".join(part for part in parts if part not in models)

    return {name(variable.path): variable for variable in model.variables}


def write(keras, arguments, images, labels):
    from safetensors.numpy import save_file

    model = make_model(keras, arguments.model)
    train(model, images, labels, arguments.steps)
    model.save(arguments.write / "model.keras")
    model.save_weights(arguments.write / "model.weights.h5")
    weights = {name: value.numpy() for name, value in named_weights(keras, model).items()}
    save_file(weights, arguments.write / "model.safetensors")
    return model, answers(model, images, labels)


def read_saved_model(folder, images, labels):
    """What a SavedModel predicts, and its loss before and after a step of ours."""
    import tensorflow as tf

    loaded = tf.saved_model.load(folder)
    x, y = tf.convert_to_tensor(images), tf.constant(labels)
    if x.dtype != tf.string:
        x = tf.cast(x, tf.float32)
    predictions = loaded.serve(x)

    def loss():
        per_example = tf.nn.sparse_softmax_cross_entropy_with_logits(y, loaded.serve(x))
        return tf.reduce_mean(per_example)

    with tf.GradientTape() as tape:
        before = loss()
    weights = loaded.trainable_variables
    for weight, gradient in zip(weights, tape.gradient(before, weights), strict=True):
        weight.assign_sub(0.01 * tf.convert_to_tensor(gradient))
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
        variables = named_weights(keras, model)
        if sorted(stored) != sorted(variables):
            raise SystemExit(f"safetensors has {sorted(stored)}, not {sorted(variables)}")
        for name, value in stored.items():
            variables[name].assign(value)
        parts["safetensors"] = model.predict(images, verbose=0).tolist()
    if (arguments.read / "keras2_weights.index").exists():
        import tf_keras

        model = MODELS[arguments.model](tf_keras)
        model.load_weights(str(arguments.read / "keras2_weights"))
        parts["keras2_weights"] = model.predict(images, verbose=0).tolist()
    if (arguments.read / "saved_model").exists():
        parts |= read_saved_model(str(arguments.read / "saved_model"), images, labels)
    return parts


def main():
    arguments = parse_arguments()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras
    import numpy as np

    images, labels = batch(np, arguments.model)
    if arguments.write:
        model, result = write(keras, arguments, images, labels)
    else:
        model = keras.models.load_model(arguments.read / "model.keras")
        result = answers(model, images, labels)
        result |= read_parts(keras, arguments, images, labels)
    optimizer = model.optimizer
    if arguments.model == "scaled":
        result["loss_scale"] = float(optimizer.dynamic_scale)
        optimizer = optimizer.inner_optimizer
    result["iterations"] = int(optimizer.iterations.numpy())
    result["next_losses"] = train(model, images, labels, arguments.next)
    result["versions"] = {"keras": keras.__version__}
    if arguments.write:
        text = json.dumps(result, indent=1) + "\n"
        (arguments.write / "expected.json").write_text(text)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
