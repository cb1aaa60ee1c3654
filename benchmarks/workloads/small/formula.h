// Weights and data by a formula that any language can repeat, so that small
// models can be compared with other frameworks to the last digits.
//
//   Fractions(1000, {8, 28, 28, 1});           // float32 in [0, 1)
//   WholeNumbers(1100, {8}, {.count = 10});    // int64, 0 to 9
//   FormulaWeight(3, {{3, 3, 1, 24}, WeightKind::kMatrix});
//
// Element e (row-major) of the variable of number v, in 32-bit integers that
// wrap around:
//
//   x = (e + 1000003 v) * 2654435761;  x ^= x >> 16;  x *= 2246822519;
//   x ^= x >> 13;  u = x / 2^32
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_SMALL_FORMULA_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_SMALL_FORMULA_H_

#include <cstdint>

#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// The u of each element, as float32.
Tensor Fractions(uint32_t variable, const Shape& shape);

struct WholeNumberRange {
  int64_t count = 1;  // how many numbers there are
  int64_t first = 0;
};

// first + floor(u * count) of each element, as int64.
Tensor WholeNumbers(uint32_t variable, const Shape& shape,
                    const WholeNumberRange& range);

// 1 where u is above the threshold, else 0, as float32.
Tensor OnesAbove(uint32_t variable, const Shape& shape, double threshold);

// With s = 2u - 1:
enum class WeightKind {
  kMatrix,  // s * sqrt(3 / product of all axes but the last)
  kTable,   // 0.2 s
  kGamma,   // 1 + 0.1 s
  kBias,    // 0.1 s; beta as well
};

struct WeightSpec {
  Shape shape;  // a variable may have the same elements in another shape
  WeightKind kind = WeightKind::kMatrix;
};

// float32, rounded once from the formula in float64.
Tensor FormulaWeight(uint32_t variable, const WeightSpec& spec);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_SMALL_FORMULA_H_
