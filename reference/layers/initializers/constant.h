// The same value everywhere.
//
//   initializers::Zeros()(Shape{2}, random);         // [0, 0]
//   initializers::Constant(0.5)(Shape{2}, random);   // [0.5, 0.5]
#ifndef LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_CONSTANT_H_
#define LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_CONSTANT_H_

#include "reference/layers/initializers/initializer.h"

namespace lockstep::initializers {

Initializer Constant(float value);
Initializer Zeros();
Initializer Ones();

}  // namespace lockstep::initializers

#endif  // LOCKSTEP_REFERENCE_LAYERS_INITIALIZERS_CONSTANT_H_
