"""Orbax 0.12.8: a checkpoint with a damaged byte is restored, with other weights; no error, no warning.

A byte of the array's file is turned over, at 30 places, one at a time.
Expected: an error at each. Observed: at nearly all of them restore succeeds and weights differ.
"""

import collections
import os
import pathlib
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np
import orbax.checkpoint as ocp

weights = np.random.default_rng(0).normal(size=4000).astype(np.float32)
state = {"weights": jax.numpy.asarray(weights)}
like = jax.tree.map(ocp.utils.to_shape_dtype_struct, state)
with tempfile.TemporaryDirectory() as folder:
    with ocp.CheckpointManager(folder) as manager:
        manager.save(1, args=ocp.args.StandardSave(state))
    files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    file = max(files, key=lambda path: path.stat().st_size)
    content = file.read_bytes()
    outcomes = collections.Counter()
    for at in range(100, len(content), len(content) // 30):
        damaged = bytearray(content)
        damaged[at] ^= 0xFF
        file.write_bytes(damaged)
        try:
            with ocp.CheckpointManager(folder) as manager:
                found = manager.restore(1, args=ocp.args.StandardRestore(like))["weights"]
            outcomes["the same" if np.array_equal(found, weights) else "OTHER WEIGHTS"] += 1
        except Exception as error:
            outcomes[f"error: {type(error).__name__}"] += 1
print("expected errors only, observed", dict(outcomes))
