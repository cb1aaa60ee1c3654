"""Has ours and TensorFlow restore each other's checkpoints and train on.

  ./bazelw build //examples:checkpoint_interop
  FRAMEWORKS_PYTHON=$(python3 third_party/frameworks/make_venv.py)
  $FRAMEWORKS_PYTHON -m benchmarks.peers.exchange.exchange_checkpoints \\
      --ours=bazel-bin/examples/checkpoint_interop

Each side trains the document's model with Adam on exact_fixture's batches under two
replicas, saves a checkpoint, and takes three steps more. The other side restores it,
asserts that everything was matched, and takes the same three steps, without a strategy
and under several numbers of replicas. Printed is a line a restore: how far its losses
are from the writer's. Exit status: 0 when the first loss is within 1e-6 everywhere.
"""

import argparse
import pathlib
import sys
import tempfile

from benchmarks.peers.exchange.exchange_run import LARGEST_DIFFERENCE, largest_difference, run

READER_REPLICAS = (0, 1, 2, 3)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=pathlib.Path, required=True, metavar="PROGRAM")
    return parser.parse_args()


def exchange(writer, reader, folder):
    """Lines about each restore, and whether all are as close as they must be."""
    name, command = writer
    expected = run([*command, f"--write={folder}", "--replicas=2"])["next_losses"]
    lines, good = [], True
    for replicas in READER_REPLICAS:
        result = run([*reader[1], f"--read={folder}", f"--replicas={replicas}"])
        first = abs(expected[0] - result["next_losses"][0])
        worst = largest_difference(expected, result["next_losses"])
        good = good and result["consumed"] and first <= LARGEST_DIFFERENCE
        lines.append(
            f"{name} -> {reader[0]}, replicas 2 -> {replicas}: consumed, next loss "
            f"{result['next_losses'][0]:.7f}, off by {first:.1e}, 3 steps {worst:.1e}"
        )
    return lines, good


def main():
    arguments = parse_arguments()
    ours = ("lockstep", [arguments.ours.resolve()])
    theirs = ("tensorflow", [sys.executable, "-m", "benchmarks.peers.tensorflow_checkpoint"])
    all_good = True
    for writer, reader in ((ours, theirs), (theirs, ours)):
        with tempfile.TemporaryDirectory() as folder:
            lines, good = exchange(writer, reader, folder)
        print("\n".join(lines), flush=True)
        all_good = all_good and good
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
