// How a weight gets its first values.
//
//   Random random = NextRandomStream();
//   initializers::GlorotUniform()(Shape{3, 3, 1, 32}, random);
//   initializers::Zeros()(Shape{32}, random);
#ifndef LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_INITIALIZER_H_
#define LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_INITIALIZER_H_

#include <functional>

#include "reference/base/random.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// float32 values of a shape, on the current device. Draws from `random` alone,
// so that an equal generator gives equal values on every replica.
using Initializer = std::function<Tensor(const Shape& shape, Random& random)>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_INITIALIZER_H_
