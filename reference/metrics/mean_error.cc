#include "reference/metrics/mean_error.h"

#include <array>
#include <cmath>

#include "reference/base/error.h"
#include "reference/kernels/binary.h"
#include "reference/kernels/reduce.h"
#include "reference/kernels/unary.h"

namespace lockstep {
namespace {

Tensor Difference(const Tensor& labels, const Tensor& predictions) {
  if (labels.shape() != predictions.shape()) {
    throw InvalidArgument("[MeanError] labels {} do not fit predictions {}",
                          Describe(labels), Describe(predictions));
  }
  return kernels::Subtract(labels.Cast(DType::kFloat32),
                           predictions.Cast(DType::kFloat32));
}

// The error of each example: the mean over the last axis of two or more.
Tensor OfEachExample(const Tensor& errors) {
  if (errors.rank() < 2) return errors;
  return kernels::ReduceMean(errors, std::array{-1});
}

}  // namespace

void MeanSquaredError::UpdateState(const Tensor& labels,
                                   const Tensor& predictions,
                                   const std::optional<Tensor>& sample_weight) {
  Accumulate(OfEachExample(kernels::Square(Difference(labels, predictions))),
             sample_weight);
}

double RootMeanSquaredError::Result() const {
  return std::sqrt(MeanSquaredError::Result());
}

void MeanAbsoluteError::UpdateState(
    const Tensor& labels, const Tensor& predictions,
    const std::optional<Tensor>& sample_weight) {
  Accumulate(OfEachExample(kernels::Abs(Difference(labels, predictions))),
             sample_weight);
}

}  // namespace lockstep
