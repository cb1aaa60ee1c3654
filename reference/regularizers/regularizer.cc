#include "reference/regularizers/regularizer.h"

#include <cmath>

#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"

namespace lockstep {

L1::L1(double factor) : factor_(factor) {
  if (!std::isfinite(factor) || factor < 0) {
    throw InvalidArgument("[L1] the factor must not be negative, got {}",
                          factor);
  }
}

Tensor L1::operator()(const Tensor& weight) const {
  return ops::Scale(ops::ReduceSum(ops::Abs(weight)), factor_);
}

L2::L2(double factor) : factor_(factor) {
  if (!std::isfinite(factor) || factor < 0) {
    throw InvalidArgument("[L2] the factor must not be negative, got {}",
                          factor);
  }
}

Tensor L2::operator()(const Tensor& weight) const {
  return ops::Scale(ops::ReduceSum(ops::Square(weight)), factor_);
}

}  // namespace lockstep
