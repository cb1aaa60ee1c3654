"""Has ours, Keras and TensorFlow load each other's model files, predict and train on.

  ./bazelw build //examples:model_interop
  FRAMEWORKS_PYTHON=$(python3 third_party/frameworks/make_venv.py)
  $FRAMEWORKS_PYTHON -m benchmarks.peers.exchange.exchange_models \\
      --ours=bazel-bin/examples/model_interop

Each side trains five models for three steps, saves them as .keras and .weights.h5, and
takes two steps more. The other side loads the files, predicts, evaluates, and takes the
same two steps. Printed is a line a file: how far the reader's numbers are from the
writer's. Exit status: 0 when predictions, evaluation and next losses are within 1e-6.
"""

import argparse
import pathlib
import sys
import tempfile

from benchmarks.peers.exchange.exchange_run import LARGEST_DIFFERENCE, largest_difference, run

MODELS = ("functional", "sequential", "scaled", "attention", "words")
# The reader's names of files that have only weights.
PARTS = ("weights", "safetensors", "keras2_weights", "saved_model")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=pathlib.Path, required=True, metavar="PROGRAM")
    return parser.parse_args()


def exchange(writer, reader, model, folder):
    """Lines about each file, and whether all are as close as they must be."""
    expected = run([*writer[1], f"--write={folder}", f"--model={model}"])
    result = run([*reader[1], f"--read={folder}", f"--model={model}"])
    way = f"{writer[0]} -> {reader[0]}, {model}"
    differences = {
        name: largest_difference([expected[name]], [result[name]])
        for name in ("predictions", "loss", "accuracy", "next_losses")
    }
    good = expected["iterations"] == result["iterations"]
    good = good and expected.get("loss_scale") == result.get("loss_scale")
    good = good and max(differences.values()) <= LARGEST_DIFFERENCE
    shown = ", ".join(f"{name} {value:.1e}" for name, value in differences.items())
    lines = [f"{way}, .keras after {result['iterations']} steps: {shown}"]
    if "loss_scale" in result:
        lines[0] += f", loss scale {expected['loss_scale']:g} -> {result['loss_scale']:g}"
    for part in PARTS:
        if part not in result:
            continue
        difference = largest_difference(expected["predictions"], result[part])
        good = good and difference <= LARGEST_DIFFERENCE
        lines.append(f"{way}, {part}: predictions {difference:.1e}")
    if "fine_tuned" in result:
        before, after = result["fine_tuned"]
        good = good and after < before and result["signature_changed"] > 0
        lines.append(f"{way}, saved_model: a step of its own {before:.4f} -> {after:.4f}")
    return lines, good


def main():
    arguments = parse_arguments()
    ours = ("lockstep", [arguments.ours.resolve()])
    theirs = ("keras", [sys.executable, "-m", "benchmarks.peers.exchange.keras_model_files"])
    all_good = True
    for writer, reader in ((ours, theirs), (theirs, ours)):
        for model in MODELS:
            with tempfile.TemporaryDirectory() as folder:
                lines, good = exchange(writer, reader, model, folder)
            print("\n".join(lines), flush=True)
            all_good = all_good and good
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
