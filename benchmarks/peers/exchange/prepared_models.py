"""Exchanges SavedModels of preprocessing layers with Keras and TensorFlow, both ways.

  ./bazelw build //examples:run_saved_model
  FRAMEWORKS_PYTHON=$(python3 third_party/frameworks/make_venv.py)
  $FRAMEWORKS_PYTHON -m benchmarks.peers.exchange.prepared_models \\
      --ours=bazel-bin/examples/run_saved_model

Each model is a layer of words, numbers or images, or some of them with weights. Keras 3
(Model.export) and tf_keras (save) write SavedModels that ours runs; ours writes one of
Keras' .keras file, which tf.saved_model.load and TFSMLayer serve. Printed is a line a
model and way: how far the results are from each other. Exit status: 0 when all are
within 1e-6 of the largest number of a result or of 1, and ours refuses with a message
the models with random layers that change a variable at inference.

With --write=FOLDER it writes three of them with what they compute in expected.json: a
part of the testdata of reference/export/saved_model/loading.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from benchmarks.peers.exchange.saved_models import LARGEST_DIFFERENCE, SIGNATURE, as_json, difference

# Keras 3 draws for these at inference too, which changes the state of a generator.
DRAWS = {"keras": ("flip", "crop", "rotation"), "tf_keras": ("crop",)}
# Of the testdata: the model and who writes it.
WRITTEN = {"words_keras": "keras", "text_ngrams_tf_keras": "tf_keras", "word_file_keras": "keras"}
ROWS = {
    "words": [["b", "z"], ["a", "a"], ["c", ""]],
    "numbers": [[5, 1], [7, 7], [2, 0]],
    "text": ["A b, q!", "c b  b", ""],
    "letter": [["x"], ["q"], [""]],
    "code": [[1], [2], [0]],
    "x": [[0.5, -1.0, 2.0], [1.0, 3.5, 0.0], [-2.0, 8.0, 1.0]],
    "image": [[[[(7 * n + 3 * r + 5 * c) % 11 / 8] for c in range(4)] for r in range(4)] for n in range(3)],
}
INPUTS = {
    "words": ((2,), "string"),
    "numbers": ((2,), "int64"),
    "text": ((), "string"),
    "letter": ((1,), "string"),
    "code": ((1,), "int64"),
    "x": ((3,), "float32"),
    "image": ((4, 4, 1), "float32"),
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=pathlib.Path, metavar="PROGRAM")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    if not (arguments.ours or arguments.write):
        parser.error("say --ours=PROGRAM or --write=FOLDER")
    return arguments


def lookups(layers, np, file):
    """Names of models, and of each its input and its layer."""

    def adapted(layer, data):
        layer.adapt(np.array(data))
        return layer

    words, numbers = ["b", "a", "b", "c"], [5, 7, 5]
    string, integer = layers.StringLookup, layers.IntegerLookup
    return {
        "ids": ("words", adapted(string(), words)),
        "multi_hot": ("words", adapted(string(output_mode="multi_hot"), words)),
        "masked": ("letter", string(vocabulary=["x", "y"], num_oov_indices=2, mask_token="", output_mode="one_hot")),
        "masked_ids": ("words", string(vocabulary=["a", "b"], num_oov_indices=3, mask_token="")),
        "inverted": ("code", string(vocabulary=["x", "y"], invert=True)),
        "word_file": ("words", string(vocabulary=str(file))),
        "counted": ("numbers", adapted(integer(output_mode="count"), numbers)),
        "remainders": ("numbers", integer(vocabulary=[7, 8], num_oov_indices=3, mask_token=0)),
    }


def texts(layers, np):
    def adapted(**options):
        layer = layers.TextVectorization(**options)
        layer.adapt(np.array(["a b b", "b c", "b"]))
        return "text", layer

    return {
        "text_ids": adapted(),
        "text_cut": ("letter", adapted(output_sequence_length=2)[1]),
        "text_ngrams": adapted(output_mode="tf_idf", ngrams=2),
        "text_counts": adapted(output_mode="count", standardize="lower"),
        "text_characters": adapted(split="character", output_mode="multi_hot"),
        "text_whole": ("words", adapted(split=None, output_mode="tf_idf")[1]),
    }


def numbers(layers, np):
    normalization = layers.Normalization()
    normalization.adapt(np.array([[1, 2, 3], [4, 5, 7]], np.float32))
    return {
        "bins": ("letter", layers.Hashing(4)),
        "masked_bins": ("words", layers.Hashing(4, mask_value="")),
        "salted_bins": ("code", layers.Hashing(4, salt=[3, 4], output_mode="one_hot")),
        "encoded": ("code", layers.CategoryEncoding(4, output_mode="one_hot")),
        "encoded_counts": ("numbers", layers.CategoryEncoding(8, output_mode="count")),
        "normalized": ("x", normalization),
        "normalized_back": ("x", layers.Normalization(mean=[1, 2, 3], variance=[4, 1, 9], invert=True)),
        "intervals": ("x", layers.Discretization(bin_boundaries=[0.0, 1.0, 2.0])),
        "intervals_counted": ("x", layers.Discretization(bin_boundaries=[0.0, 1.0, 2.0], output_mode="count")),
        "rescaled": ("image", layers.Rescaling(2.0, -1.0)),
        "flip": ("image", layers.RandomFlip(seed=1)),
        "crop": ("image", layers.RandomCrop(2, 3, seed=1)),
        "rotation": ("image", layers.RandomRotation(0.1, seed=1)),
    }


def crossed(keras, mode):
    letter, code = (keras.Input(INPUTS[name][0], dtype=INPUTS[name][1], name=name) for name in ("letter", "code"))
    return keras.Model([letter, code], keras.layers.HashedCrossing(5, output_mode=mode)((letter, code)))


def with_weights(keras, np):
    """Words, a text and numbers, joined, and a layer with weights."""
    layers = keras.layers
    names = ("words", "text", "x", "numbers")
    inputs = {name: keras.Input(INPUTS[name][0], dtype=INPUTS[name][1], name=name) for name in names}
    learned = layers.StringLookup(output_mode="multi_hot")
    learned.adapt(np.array(["b", "a", "b", "c"]))
    text = layers.TextVectorization(output_mode="tf_idf", ngrams=2)
    text.adapt(np.array(["a b b", "b c", "b"]))
    ids = layers.TextVectorization(output_sequence_length=3)
    ids.adapt(np.array(["a b b", "b c", "b"]))
    normalization = layers.Normalization()
    normalization.adapt(np.array([[1, 2, 3], [4, 5, 7]], np.float32))
    embedded = layers.Flatten()(layers.Embedding(5, 2)(ids(inputs["text"])))
    parts = [learned(inputs["words"]), text(inputs["text"]), normalization(inputs["x"]), embedded]
    parts.append(layers.CategoryEncoding(8, output_mode="count")(inputs["numbers"]))
    if keras.__name__ == "tf_keras":  # which does not join integers and floating numbers
        parts = [layers.Rescaling(1.0)(part) for part in parts]
    model = keras.Model(list(inputs.values()), layers.Dense(2, name="dense")(layers.Concatenate()(parts)))
    random = np.random.default_rng(1)
    for weight in model.layers[-1].weights + next(x for x in model.layers if "embedding" in x.name).weights:
        weight.assign(random.integers(-8, 9, weight.shape) / 8)
    return model


def make_models(keras, np, file):
    layers = keras.layers
    single = lookups(layers, np, file) | texts(layers, np) | numbers(layers, np)
    models = {}
    for name, (source, layer) in single.items():
        entry = keras.Input(INPUTS[source][0], dtype=INPUTS[source][1], name=source)
        models[name] = keras.Model(entry, layer(entry))
    models["crossed"] = crossed(keras, "int")
    models["crossed_one_hot"] = crossed(keras, "one_hot")
    models["words"] = with_weights(keras, np)
    return models


def save(keras, model, folder):
    if keras.__name__ == "keras":
        model.export(str(folder), verbose=False)
    else:
        model.save(str(folder), save_format="tf")


def arguments_of(np, function):
    """The rows for a signature's arguments."""
    return {
        name: np.array(ROWS[name], object if spec.dtype.name == "string" else spec.dtype.as_numpy_dtype)
        for name, spec in function.structured_input_signature[1].items()
    }


def texts_of(values):
    """JSON of tensors with words, whose elements are bytes."""
    import numpy as np

    result = as_json({name: value for name, value in values.items() if value.dtype != object})
    for name, value in values.items():
        if value.dtype == object:
            flat = [word.decode() if isinstance(word, bytes) else word for word in value.flatten().tolist()]
            result[name] = {"dtype": "string", "shape": list(np.shape(value)), "values": flat}
    return result


def computed(folder):
    """TensorFlow's results for a SavedModel: arguments and results, as JSON."""
    import numpy as np
    import tensorflow as tf

    loaded = tf.saved_model.load(str(folder))
    function = loaded.signatures[SIGNATURE]
    arguments = arguments_of(np, function)
    results = function(**{name: tf.constant(value) for name, value in arguments.items()})
    return {"inputs": texts_of(arguments), "outputs": texts_of({k: v.numpy() for k, v in results.items()})}


def distance(expected, got):
    """As `difference`, of numbers; words must be equal."""
    words = [name for name in expected if expected[name]["dtype"] == "string"]
    if any(expected[name] != got.get(name) for name in words):
        return float("inf")
    rest = [{name: value for name, value in side.items() if name not in words} for side in (expected, got)]
    return difference(*rest)


def served_by_keras(folder, inputs):
    """Results of Keras' TFSMLayer."""
    import keras
    import tensorflow as tf

    layer = keras.layers.TFSMLayer(str(folder), call_endpoint=SIGNATURE)
    types = {"string": tf.string}
    tensors = {
        name: tf.reshape(tf.constant(value["values"], types.get(value["dtype"], value["dtype"])), value["shape"])
        for name, value in inputs.items()
    }
    first = min(tensors)  # arguments are sorted by name, and a layer wants one by position
    results = layer(tensors.pop(first), **tensors)
    return texts_of({name: value.numpy() for name, value in results.items()})


def run_ours(ours, *arguments):
    return subprocess.run([str(ours), *map(str, arguments)], capture_output=True, text=True, check=False)


def read_by_ours(ours, folder, refuses):
    """How far ours is from TensorFlow for a SavedModel, or why it did not run."""
    if refuses:
        inputs = folder.with_suffix(".json")
        inputs.write_text("{}")
        done = run_ours(ours, f"--model={folder}", f"--inputs={inputs}")
        refused = done.returncode == 1 and "supported" in done.stderr  # "not" of an operation, "only" of types
        return f"refused: {done.stderr.strip()[:160]}", refused
    expected = computed(folder)
    inputs = folder.with_suffix(".json")
    inputs.write_text(json.dumps(expected["inputs"]))
    done = run_ours(ours, f"--model={folder}", f"--inputs={inputs}")
    if done.returncode:
        return done.stderr.strip()[:300], False
    worst = distance(expected["outputs"], json.loads(done.stdout)[0])
    return f"{worst:.1e}", worst <= LARGEST_DIFFERENCE


def written_by_ours(ours, model, folder):
    """How far TensorFlow and TFSMLayer are, for our SavedModel, from Keras' own model."""
    import numpy as np
    import tensorflow as tf

    file = folder.with_suffix(".keras")
    model.save(str(file))
    done = run_ours(ours, f"--model={file}", f"--export={folder}")
    if done.returncode:
        return done.stderr.strip()[:300], False
    served = computed(folder)
    result = next(iter(served["outputs"]))
    inputs = [
        tf.reshape(tf.constant(served["inputs"][x.name]["values"], x.dtype), served["inputs"][x.name]["shape"])
        for x in model.inputs
    ]
    expected = model(inputs if len(inputs) > 1 else inputs[0], training=False)
    value = expected.numpy()
    wanted = texts_of({result: value.astype(served["outputs"][result]["dtype"]) if value.dtype != object else value})
    worst = distance(wanted, served["outputs"])
    layer = distance(served["outputs"], served_by_keras(folder, served["inputs"]))
    type_note = "" if value.dtype == object or np.dtype(value.dtype).name == served["outputs"][result]["dtype"] else (
        f" (Keras: {value.dtype}, ours: {served['outputs'][result]['dtype']})"
    )
    return f"{worst:.1e}, by TFSMLayer {layer:.1e}{type_note}", max(worst, layer) <= LARGEST_DIFFERENCE


def compare(ours, folder):
    import keras
    import numpy as np
    import tf_keras

    file = folder / "vocab.txt"
    file.write_text("a\nb\n")
    all_good = True
    for library in (keras, tf_keras):
        for name, model in make_models(library, np, file).items():
            written = folder / f"{name}_{library.__name__}"
            save(library, model, written)
            line, good = read_by_ours(ours, written, name in DRAWS[library.__name__])
            print(f"{library.__name__} -> ours, {name}: {line}", flush=True)
            all_good = all_good and good
            # Keras 3 draws for its random layers: its own model is no measure.
            if library is keras and name not in DRAWS["keras"]:
                line, good = written_by_ours(ours, model, folder / f"{name}_ours")
                print(f"ours -> tensorflow, {name}: {line}", flush=True)
                all_good = all_good and good
    return all_good


def write(folder):
    import keras
    import numpy as np
    import tensorflow as tf
    import tf_keras

    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "vocab.txt"
        file.write_text("a\nb\n")
        models = {"keras": make_models(keras, np, file), "tf_keras": make_models(tf_keras, np, file)}
        libraries = {"keras": keras, "tf_keras": tf_keras}
        for name, library in WRITTEN.items():
            save(libraries[library], models[library][name.removesuffix("_" + library)], folder / name)
    expected = {name: computed(folder / name) for name in WRITTEN}
    expected["versions"] = {"tensorflow": tf.__version__, "keras": keras.__version__, "tf_keras": tf_keras.__version__}
    (folder / "expected_words.json").write_text(json.dumps(expected, sort_keys=True) + "\n")


def main():
    arguments = parse_arguments()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if arguments.write:
        write(arguments.write)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return 0 if compare(arguments.ours.resolve(), pathlib.Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
