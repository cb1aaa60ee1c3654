#include "benchmarks/workloads/small/formula.h"

#include <cmath>

#include "reference/base/check.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

double Fraction(uint32_t variable, int64_t element) {
  uint32_t x = static_cast<uint32_t>(element) + 1000003u * variable;
  x *= 2654435761u;
  x ^= x >> 16;
  x *= 2246822519u;
  x ^= x >> 13;
  return std::ldexp(static_cast<double>(x), -32);
}

// function(u) of each element.
template <typename T, typename Function>
Tensor OfEach(uint32_t variable, const Shape& shape, const Function& function) {
  Tensor tensor = Tensor::Empty(shape, kDTypeOf<T>, CurrentHost());
  T* values = tensor.mutable_data<T>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    values[i] = static_cast<T>(function(Fraction(variable, i)));
  }
  return tensor;
}

double LimitOfMatrix(const Shape& shape) {
  double inputs = 1;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    inputs *= static_cast<double>(shape[axis]);
  }
  return std::sqrt(3 / inputs);
}

// A weight is middle + width * s.
struct Spread {
  double middle;
  double width;
};

Spread SpreadOf(const WeightSpec& spec) {
  switch (spec.kind) {
    case WeightKind::kMatrix:
      return {0, LimitOfMatrix(spec.shape)};
    case WeightKind::kTable:
      return {0, 0.2};
    case WeightKind::kGamma:
      return {1, 0.1};
    case WeightKind::kBias:
      return {0, 0.1};
  }
  LOCKSTEP_CHECK(false);
  return {};
}

}  // namespace

Tensor Fractions(uint32_t variable, const Shape& shape) {
  return OfEach<float>(variable, shape, [](double u) { return u; });
}

Tensor WholeNumbers(uint32_t variable, const Shape& shape,
                    const WholeNumberRange& range) {
  return OfEach<int64_t>(variable, shape, [&](double u) {
    return static_cast<double>(range.first) +
           std::floor(u * static_cast<double>(range.count));
  });
}

Tensor OnesAbove(uint32_t variable, const Shape& shape, double threshold) {
  return OfEach<float>(variable, shape,
                       [&](double u) { return u > threshold ? 1 : 0; });
}

Tensor FormulaWeight(uint32_t variable, const WeightSpec& spec) {
  const auto [middle, width] = SpreadOf(spec);
  return OfEach<float>(variable, spec.shape,
                       [&](double u) { return middle + width * (2 * u - 1); });
}

}  // namespace lockstep::benchmarks
