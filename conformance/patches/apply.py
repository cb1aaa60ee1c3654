"""Starts a testee whose framework has a bug.

    python -m conformance.patches.apply jax/shuffle_ignores_the_seed conformance.testees.jax.testee

The module runs as `python -m` runs it, with what follows as its arguments.
"""

import runpy
import sys

from conformance.patches import patch


def main(path, module, *arguments):
    # First the testee's own module: it sets what a framework reads when it is imported.
    runpy.run_module(module, run_name="imported")
    patch.find(path).plant()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (patch.PatchError, TypeError) as error:
        sys.exit(f"[Patches] {error}")
