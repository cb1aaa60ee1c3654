"""optax 0.2.8: after one gradient that is not finite, MultiSteps trains no more.

The inner rule leaves out such updates (apply_if_finite), so that one window is lost. Expected:
parameters 0, 0, 0, -1, -1, -2 (window [inf, 1] skipped; windows [1, 1] take their steps), as
apply_if_finite without MultiSteps goes on. Observed: 0, 0, 0, 0, 0, 0: the accumulator is
reset by (1 - emit) * acc, and 0 * inf is NaN, which stays.
"""

import jax.numpy as jnp
import optax

INF = float("inf")


def train(optimizer, gradients):
    weight, seen = jnp.float32(0), []
    state = optimizer.init(weight)
    for gradient in gradients:
        update, state = optimizer.update(jnp.float32(gradient), state, weight)
        weight = optax.apply_updates(weight, update)
        seen.append(float(weight))
    return seen, state


guarded = optax.apply_if_finite(optax.sgd(1.0), max_consecutive_errors=100)
seen, state = train(optax.MultiSteps(guarded, 2), [INF, 1, 1, 1, 1, 1])
print("MultiSteps(apply_if_finite(sgd)): expected [0, 0, 0, -1, -1, -2], observed", seen)
print("  accumulator: expected 0, observed", state.acc_grads)
zeroed = optax.chain(optax.zero_nans(), optax.sgd(1.0))
seen, _ = train(optax.MultiSteps(zeroed, 2), [float("nan"), 1, 1, 1, 1, 1])
print("MultiSteps(chain(zero_nans, sgd)): expected [0, 0, 0, -1, -1, -2], observed", seen)
