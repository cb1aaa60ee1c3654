"""Writes SavedModels with TensorFlow and Keras, and compares our results on them with TensorFlow's.

  ./bazelw build //examples:run_saved_model
  FRAMEWORKS_PYTHON=$(python3 third_party/frameworks/make_venv.py)
  $FRAMEWORKS_PYTHON -m benchmarks.peers.exchange.saved_models \\
      --ours=bazel-bin/examples/run_saved_model

The documents' convolutional network and a network with batch normalization and dropout, by
Keras 3 (Model.export) and by tf_keras (save, compiled or not), inside and outside a strategy's scope, and a
tf.Module of two arguments and two results (tf.saved_model.save). Printed is a line a
model: how far our numbers are from those of tf.saved_model.load. Exit status: 0 when all
are within 1e-6 of the largest number of the result, or of 1.

With --write=FOLDER --tiny it writes small ones, with what they compute in expected.json: the
testdata of reference/export/saved_model/loading.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LARGEST_DIFFERENCE = 1e-6
SIGNATURE = "serving_default"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=pathlib.Path, metavar="PROGRAM")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--tiny", action="store_true")
    arguments = parser.parse_args()
    if not (arguments.ours or arguments.write):
        parser.error("say --ours=PROGRAM or --write=FOLDER")
    return arguments


def input_layer(keras, shape):
    """The same for Keras 3 and tf_keras, which name its argument differently."""
    return keras.Input(shape)


def convolutional(keras, tiny):
    layers = keras.layers
    side, first, second, dense, classes = (8, 2, 3, 4, 3) if tiny else (28, 32, 64, 64, 10)
    return keras.Sequential(
        [
            input_layer(keras, (side, side, 1)),
            layers.Conv2D(first, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(second, 3, activation="relu"),
            layers.MaxPooling2D(padding="same"),
            layers.Flatten(),
            layers.Dense(dense, activation="relu"),
            layers.Dense(classes),
        ]
    )


def normalized(keras, tiny):
    layers = keras.layers
    features, units = (4, 3) if tiny else (16, 32)
    return keras.Sequential(
        [
            input_layer(keras, (features,)),
            layers.Dense(units, activation="relu"),
            layers.BatchNormalization(),
            layers.Dropout(0.5),
            layers.Dense(2, activation="softmax"),
        ]
    )


def module(tf):
    """Functions with several arguments and results, other types and operations, which models of layers do not have."""

    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.kernel = tf.Variable(tf.random.stateless_normal([2, 2, 1, 3], [1, 2]), name="kernel")
            self.scale = tf.Variable([0.5, 2.0, -1.0], trainable=False, name="scale")

        @tf.function(
            input_signature=[
                tf.TensorSpec([None, 5, 6, 1], tf.float32, name="image"),
                tf.TensorSpec([None, 2], tf.int32, name="codes"),
            ]
        )
        def __call__(self, image, codes):
            image = tf.nn.conv2d(image, self.kernel, strides=[1, 2], padding="SAME")
            pooled = tf.nn.avg_pool2d(tf.tanh(image), [2, 3], [2, 1], "SAME")
            pooled = tf.concat([pooled, tf.sigmoid(pooled[:, ::-1])], axis=-1)
            means = tf.reduce_mean(pooled, axis=[1, 2], keepdims=True)
            means = tf.squeeze(means, [1, 2]) * tf.concat([self.scale, self.scale], 0)
            factors = tf.cast(codes[:, 1:] - codes[:, :1], tf.float32)
            rows = tf.stack([means * factors, tf.matmul(means, tf.ones([4, 6]), transpose_b=True)[:, :1] + means], 1)
            return {"rows": rows, "total": tf.cast(codes, tf.int64) + tf.cast(tf.shape(rows)[1], tf.int64)}

    return Module()


def make_moments(model, np):
    """Sets moving moments and biases to other values than their initial ones."""
    random = np.random.default_rng(3)
    for variable in model.variables:
        if np.issubdtype(variable.numpy().dtype, np.floating):
            variable.assign(random.uniform(0.25, 1.25, variable.shape) * random.choice([1, -0.5], variable.shape[-1:]))
    for variable in model.variables:
        if "variance" in variable.name:
            variable.assign(abs(variable.numpy()) + 0.25)


def write_models(folder, tiny):
    """Names of folders in `folder`."""
    import keras
    import numpy as np
    import tensorflow as tf
    import tf_keras

    strategies = {"": tf.distribute.get_strategy()}
    kinds = {"cnn": convolutional, "mlp": normalized}
    variants = [(kind, library, False) for kind in kinds for library in (keras, tf_keras)]
    if tiny:
        variants = [("cnn", keras, False), ("mlp", tf_keras, False)]
    else:
        strategies["_in_scope"] = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        variants += [(kind, tf_keras, True) for kind in kinds]
    names = []
    for suffix, strategy in strategies.items():
        for kind, library, compiled in variants:
            name = f"{kind}_{library.__name__}{suffix}{'_compiled' if compiled else ''}"
            with strategy.scope():
                library.utils.set_random_seed(1)
                model = kinds[kind](library, tiny)
                if tiny or kind == "mlp":
                    make_moments(model, np)
                if compiled:
                    model.compile("adam", "mse")
            if library is keras:
                model.export(str(folder / name), verbose=False)
            else:
                model.save(str(folder / name), save_format="tf")
            names.append(name)
        with strategy.scope():
            tf.saved_model.save(module(tf), str(folder / f"module{suffix}"))
        names.append(f"module{suffix}")
    return names


def arguments_for(np, function, rows):
    """Numbers for all arguments of a signature."""
    random = np.random.default_rng(7)
    values = {}
    for name, spec in function.structured_input_signature[1].items():
        shape = [rows if size is None else size for size in spec.shape]
        whole = random.integers(-8, 9, shape)
        values[name] = (whole / 8 if spec.dtype.is_floating else whole).astype(spec.dtype.as_numpy_dtype)
    return values


def as_json(values):
    return {
        name: {"dtype": str(value.dtype), "shape": list(value.shape), "values": value.flatten().tolist()}
        for name, value in values.items()
    }


def computed(folder, rows):
    """TensorFlow's results for a SavedModel: arguments and results, as JSON."""
    import numpy as np
    import tensorflow as tf

    loaded = tf.saved_model.load(str(folder))
    function = loaded.signatures[SIGNATURE]
    arguments = arguments_for(np, function, rows)
    results = function(**{name: tf.constant(value) for name, value in arguments.items()})
    return {"inputs": as_json(arguments), "outputs": as_json({name: value.numpy() for name, value in results.items()})}


def difference(expected, got):
    """The largest one, of the largest number of a result or of 1."""
    worst = 0.0
    if sorted(expected) != sorted(got):
        sys.exit(f"[saved_models] results {sorted(got)}, not {sorted(expected)}")
    for name, result in expected.items():
        if (result["shape"], result["dtype"]) != (got[name]["shape"], got[name]["dtype"]):
            sys.exit(f"[saved_models] {name} is {got[name]['dtype']} {got[name]['shape']}, not {result['shape']}")
        scale = max([1.0, *map(abs, result["values"])])
        pairs = zip(result["values"], got[name]["values"], strict=True)
        worst = max([worst, *(abs(a - b) / scale for a, b in pairs)])
    return worst


def compare(ours, folder, names):
    """Whether ours computes what TensorFlow does for each model; a line per model and number of replicas."""
    good = True
    for name in names:
        expected = computed(folder / name, rows=5)
        inputs = folder / "inputs.json"
        inputs.write_text(json.dumps(expected["inputs"]))
        for replicas in (0, 2):
            command = [ours.resolve(), f"--model={folder / name}", f"--inputs={inputs}", f"--replicas={replicas}"]
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name}: {done.stderr.strip()}", flush=True)
                good = False
                continue
            worst = max(difference(expected["outputs"], outputs) for outputs in json.loads(done.stdout))
            print(f"{name}, {replicas or 'no'} replicas: {worst:.1e}", flush=True)
            good = good and worst <= LARGEST_DIFFERENCE
    return good


def main():
    arguments = parse_arguments()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras
    import tensorflow as tf
    import tf_keras

    if arguments.write:
        names = write_models(arguments.write, arguments.tiny)
        expected = {name: computed(arguments.write / name, rows=3) for name in names}
        expected["versions"] = {
            "tensorflow": tf.__version__,
            "keras": keras.__version__,
            "tf_keras": tf_keras.__version__,
        }
        (arguments.write / "expected.json").write_text(json.dumps(expected, sort_keys=True) + "\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        names = write_models(pathlib.Path(folder), arguments.tiny)
        return 0 if compare(arguments.ours, pathlib.Path(folder), names) else 1


if __name__ == "__main__":
    sys.exit(main())
