#include "reference/regularizers/l1.h"

#include <cmath>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/reduce.h"
#include "reference/autodiff/ops/unary.h"
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

}  // namespace lockstep
