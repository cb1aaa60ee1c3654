// Uniform in [-limit, limit), limit = sqrt(6 / (inputs + outputs)): Glorot and
// Bengio, "Understanding the difficulty of training deep feedforward neural
// networks", 2010. Keras' default for kernels.
//
//   a dense kernel [1600, 64]: 1600 inputs, 64 outputs
//   a convolution's [3, 3, 32, 64]: 9 * 32 inputs, 9 * 64 outputs
#ifndef LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_GLOROT_UNIFORM_H_
#define LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_GLOROT_UNIFORM_H_

#include <cstdint>
#include <optional>

#include "reference/layers/initializers/initializer.h"

namespace lockstep::initializers {

// With a seed of its own every weight of one shape gets the same values.
Initializer GlorotUniform(std::optional<uint64_t> seed = std::nullopt);

}  // namespace lockstep::initializers

#endif  // LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_GLOROT_UNIFORM_H_
