#include "reference/regularizers/l2.h"

#include <cmath>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/reduce.h"
#include "reference/autodiff/ops/unary.h"
#include "reference/base/error.h"

namespace lockstep {

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
