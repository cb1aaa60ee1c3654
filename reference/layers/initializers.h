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

// Normal around `mean` with the deviation `stddev` before values farther than
// two deviations from the mean are drawn again, which leaves 0.88 of it. Errors:
// InvalidArgument for a stddev below 0 or NaN. With a seed as RandomUniform.
Initializer TruncatedNormal(float mean = 0, float stddev = 0.05,
                            std::optional<uint64_t> seed = std::nullopt);

// Keras' initializers that keep the variance of activations: variances are
//
//   Glorot  2 / (inputs + outputs)   Glorot and Bengio, "Understanding the
//           difficulty of training deep feedforward neural networks", 2010
//   He      2 / inputs               He et al., "Delving deep into rectifiers",
//           2015
//   Lecun   1 / inputs               LeCun et al., "Efficient backprop", 1998
//
//   a dense kernel [1600, 64]: 1600 inputs, 64 outputs
//   a convolution's [3, 3, 32, 64]: 9 * 32 inputs, 9 * 64 outputs
//
// Uniform ones are in [-limit, limit), limit = sqrt(3 * variance). Normal ones
// are truncated at two deviations, and widened so that the variance is kept.
// With a seed, all weights of one shape get the same values. GlorotUniform is
// Keras' default for kernels.
Initializer GlorotNormal(std::optional<uint64_t> seed = std::nullopt);
Initializer GlorotUniform(std::optional<uint64_t> seed = std::nullopt);
Initializer HeNormal(std::optional<uint64_t> seed = std::nullopt);
Initializer HeUniform(std::optional<uint64_t> seed = std::nullopt);
Initializer LecunNormal(std::optional<uint64_t> seed = std::nullopt);
Initializer LecunUniform(std::optional<uint64_t> seed = std::nullopt);

// A random matrix [rows, columns] with orthonormal columns, or rows if those are
// fewer: Saxe et al., arXiv 1312.6120. Leading axes count as rows. Keras' default
// for recurrent kernels. Errors: InvalidArgument, when it draws, for less than
// two axes. With a seed as GlorotUniform.
Initializer Orthogonal(std::optional<uint64_t> seed = std::nullopt);

}  // namespace lockstep::initializers

#endif  // LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_H_
