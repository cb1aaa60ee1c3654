"""JAX: a batch is divided over a mesh in equal shards, or it is an error.

Public issue, of Keras on JAX: keras-team/keras#21167.
"""

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

jax.config.update("jax_num_cpu_devices", 2)
mesh = jax.make_mesh((2,), ("replica",))
by_rows = NamedSharding(mesh, PartitionSpec("replica"))
for rows in (4, 5):
    print(f"{rows} rows: ", end="", flush=True)
    batch = jax.device_put(np.arange(rows), by_rows)
    print([shard.data.shape for shard in batch.addressable_shards])
