// The initial values of weights.
//
//   Random random = NextRandomStream();
//   initializers::GlorotUniform()(Shape{3, 3, 1, 32}, random);
//   initializers::Zeros()(Shape{32}, random);
#ifndef LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_H_
#define LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "reference/base/random.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// Returns float32 values of a shape, on the current device. They depend only on
// `random`, so that equal generators give equal values on every replica.
using Initializer = std::function<Tensor(const Shape& shape, Random& random)>;

// The seed of a program's random numbers.
//
//   SetRandomSeed(42);
//   auto model = ...;    // its initial weights are reproducible
//
// Each weight takes the next stream of the seed's generator, so weights depend
// only on the seed and the order of creation.
//
// Restarts at the first stream of `seed`. The default seed is 0.
void SetRandomSeed(uint64_t seed);

// The next generator since SetRandomSeed; each is returned once. Thread-safe.
Random NextRandomStream();

}  // namespace lockstep

namespace lockstep::initializers {

// A constant.
//
//   initializers::Zeros()(Shape{2}, random);         // [0, 0]
//   initializers::Constant(0.5)(Shape{2}, random);   // [0.5, 0.5]
Initializer Constant(float value);
Initializer Zeros();
Initializer Ones();

// Uniform in [low, high). With a seed, all weights of one shape get the same
// values.
Initializer RandomUniform(float low, float high,
                          std::optional<uint64_t> seed = std::nullopt);

// Uniform in [-limit, limit), limit = sqrt(6 / (inputs + outputs)): Glorot and
// Bengio, "Understanding the difficulty of training deep feedforward neural
// networks", 2010. Keras' default for kernels.
//
//   a dense kernel [1600, 64]: 1600 inputs, 64 outputs
//   a convolution's [3, 3, 32, 64]: 9 * 32 inputs, 9 * 64 outputs
//
// With a seed, all weights of one shape get the same values.
Initializer GlorotUniform(std::optional<uint64_t> seed = std::nullopt);

}  // namespace lockstep::initializers

#endif  // LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_H_
