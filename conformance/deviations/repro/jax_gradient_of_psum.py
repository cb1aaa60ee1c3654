"""JAX: the gradient through a psum counts its value once, not once a replica.

Each of two devices squares its x, 1 and 2, and psum adds the squares. Where every replica
differentiates the sum it got, and what reaches x is added up, the gradients are 4 and 8;
to JAX the sum is one value of the whole mesh, and they are 2 and 4.
"""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

jax.config.update("jax_num_cpu_devices", 2)
mesh = jax.make_mesh((2,), ("replica",), axis_types=(jax.sharding.AxisType.Auto,))


def gradient(x):
    return jax.grad(lambda x: jax.lax.psum(jnp.square(x[0]), "replica"))(x)


spec = PartitionSpec("replica")
gradients = jax.shard_map(gradient, mesh=mesh, in_specs=spec, out_specs=spec)
print("expected 4 and 8, observed", jax.jit(gradients)(jnp.array([1.0, 2.0])))
