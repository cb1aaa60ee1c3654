// Maxima over windows of one NHWC image and their gradient, all channels at once.
#ifndef LOCKSTEP_REFERENCE_KERNELS_POOLING_POOL_LOOPS_H_
#define LOCKSTEP_REFERENCE_KERNELS_POOLING_POOL_LOOPS_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "reference/kernels/windows.h"

namespace lockstep::kernels_internal {

// Calls body(first window, index of its output, count) for runs of neighbouring
// windows, in order. All windows of a run overlap the border in the same way;
// those inside the image form one run per row.
template <class Body>
void ForRuns(const PoolShape& shape, const Body& body) {
  const int64_t columns = shape.columns.count;
  const int64_t stride = shape.strides[1];
  const int64_t inside = shape.width - shape.pool[1] + shape.columns.before;
  const int64_t begin =
      std::min((shape.columns.before + stride - 1) / stride, columns);
  const int64_t end =
      std::clamp(inside < 0 ? 0 : inside / stride + 1, begin, columns);
  for (int64_t row = 0; row < shape.rows.count; ++row) {
    for (int64_t column = 0; column < columns;) {
      const int64_t windows = column == begin && end > begin ? end - begin : 1;
      body(shape.WindowAt(row, column), row * columns + column, windows);
      column += windows;
    }
  }
}

// Calls whole.operator()<rows, columns>() for a whole window of a common size,
// any() for others.
template <class Whole, class Any>
void VisitWindow(const PoolShape& shape, const Window& w, const Whole& whole,
                 const Any& any) {
  const auto is = [&](int64_t rows, int64_t columns) {
    return shape.pool[0] == rows && shape.pool[1] == columns;
  };
  if (shape.IsWhole(w) && is(2, 2)) return whole.template operator()<2, 2>();
  if (shape.IsWhole(w) && is(3, 3)) return whole.template operator()<3, 3>();
  any();
}

// The offsets of a whole window's elements from its first one.
template <int64_t kRows, int64_t kColumns>
std::array<int64_t, kRows * kColumns> OffsetsOf(const PoolShape& shape) {
  std::array<int64_t, kRows * kColumns> offsets;
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    offsets[i] = (i / kColumns * shape.width + i % kColumns) * shape.channels;
  }
  return offsets;
}

// Writes maxima to y and their indices in the window, row * pool[1] + column,
// to `winners`. Index is uint8_t or int32_t.
template <typename Index>
void MaxPoolImage(const PoolShape& shape, const float* x, float* y,
                  Index* winners);

// The same followed by ReLU: y is at least 0, and the winner is kReluCut where
// y is not positive.
void MaxPoolReluImage(const PoolShape& shape, const float* x, float* y,
                      uint8_t* winners);

// Writes dx: each dy goes to its winner; a kReluCut passes nothing.
template <typename Index>
void UnpoolImage(const PoolShape& shape, const float* dy, const Index* winners,
                 float* dx);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_POOLING_POOL_LOOPS_H_
