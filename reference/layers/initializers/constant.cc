#include "reference/layers/initializers/constant.h"

namespace lockstep::initializers {

Initializer Constant(float value) {
  return [value](const Shape& shape, Random&) {
    return Tensor::Full(shape, value);
  };
}

Initializer Zeros() { return Constant(0); }

Initializer Ones() { return Constant(1); }

}  // namespace lockstep::initializers
