#include "reference/autodiff/ops/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"

namespace lockstep::ops {
namespace {

Tensor WeightedSum(const Tensor& y) {
  std::vector<double> weights(y.num_elements());
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = i + 1.0;
  return ReduceSum(Multiply(y, Tensor::FromVector(weights, y.shape())));
}

}  // namespace

double GradientError(const std::function<Tensor(const Tensor&)>& function,
                     const Tensor& x) {
  GradientTape tape;
  tape.Watch(x);
  const Tensor target = WeightedSum(function(x));
  const Tensor gradient =
      tape.Gradient(target, std::vector<Tensor>{x})[0].value();
  constexpr double kDelta = 1e-5;
  double error = 0;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    double values[2];
    for (const int side : {0, 1}) {
      Tensor moved = x.Clone();
      moved.mutable_data<double>()[i] += side == 0 ? -kDelta : kDelta;
      values[side] = WeightedSum(function(moved)).item<double>();
    }
    const double expected = (values[1] - values[0]) / (2 * kDelta);
    error = std::max(error, std::abs(gradient.at<double>(i) - expected));
  }
  return error;
}

}  // namespace lockstep::ops
