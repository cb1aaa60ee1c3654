// Inputs and comparisons for kernel tests.
//
// With small integers every sum of a test is exact in float32, so that the
// order of additions does not matter and results are compared without a
// tolerance.
#ifndef LOCKSTEP_REFERENCE_KERNELS_TESTING_TEST_TENSORS_H_
#define LOCKSTEP_REFERENCE_KERNELS_TESTING_TEST_TENSORS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Integers in [-3, 3] that depend only on the seed.
Tensor SmallIntegers(const Shape& shape, uint32_t seed);

// Numbers in (-1, 1) that depend only on the seed.
Tensor Fractions(const Shape& shape, uint32_t seed);

// Expects each element of `actual` (float32) to equal that of `wanted`
// (float64).
void ExpectExact(const Tensor& actual, const Tensor& wanted);

// Expects each element of `actual` (float32) to be within `bound` of `wanted`
// (float64).
void ExpectNear(const Tensor& actual, const Tensor& wanted, double bound);

// Runs `body` alone and with teams of 1 to 4 threads.
void ForEachTeam(const std::function<void()>& body);

// Runs `body` with each instruction set for which our vector code is compiled
// and that this processor has.
void ForEachInstructionSet(const std::function<void()>& body);
// The same for those that fuse a multiplication with an addition: AVX2 and later.
void ForEachFusingInstructionSet(const std::function<void()>& body);

// Expects `call` to throw InvalidArgument with `part` in its message.
void ExpectInvalid(const std::function<void()>& call, const std::string& part);

// The dot product of two float32 tensors, in double.
double Dot(const Tensor& a, const Tensor& b);

}  // namespace lockstep::kernels

namespace lockstep::cuda {

// Sums in the order of reduction_plan.h, on the host.
inline double OrderedSum(std::span<const double> terms, int lanes) {
  std::vector<double> sums(lanes);
  for (size_t i = 0; i < terms.size(); ++i) sums[i % lanes] += terms[i];
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

// The same in pieces, whose sums are added in 32 lanes.
inline double OrderedSum(std::span<const double> terms, int lanes,
                         size_t piece) {
  if (terms.size() <= piece) return OrderedSum(terms, lanes);
  std::vector<double> pieces;
  for (size_t begin = 0; begin < terms.size(); begin += piece) {
    const size_t length = std::min(piece, terms.size() - begin);
    pieces.push_back(OrderedSum(terms.subspan(begin, length), lanes));
  }
  return OrderedSum(pieces, 32);
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_TESTING_TEST_TENSORS_H_
