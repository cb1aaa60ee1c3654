// Loops over rows of equal size that a replica's threads share, and sums over
// the rows whose bits do not depend on the number of threads.
//
//   const Rows rows = RowsOf(x);   // x [..., channels]
//   ForEachRow(rows, [&](int64_t row) { ... });
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_ROWS_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/base/threads.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

struct Rows {
  int64_t count;
  int64_t channels;  // elements of a row
};

// The rows along the last axis; none if they are empty. REQUIRES: x.rank() > 0.
inline Rows RowsOf(const Tensor& x) {
  const int64_t channels = x.dim(x.rank() - 1);
  return {channels == 0 ? 0 : x.num_elements() / channels, channels};
}

// nullptr if the tensor is undefined.
template <typename T>
const T* DataOrNull(const Tensor& tensor) {
  return tensor.defined() ? tensor.data<T>() : nullptr;
}

// How many rows have about so many elements; at least one.
inline int64_t RowsWith(int64_t elements, Rows rows) {
  return std::max<int64_t>(elements / std::max<int64_t>(rows.channels, 1), 1);
}

// Calls body(first row, rows) for ranges of all rows.
template <class Body>
void ForRows(Rows rows, const Body& body) {
  constexpr int64_t kGrain = 16384;  // elements worth waking a thread for
  ParallelFor(rows.count, RowsWith(kGrain, rows),
              [&](int64_t begin, int64_t end, int) {
                body(begin, Rows{end - begin, rows.channels});
              });
}

// Calls body(row) for each row.
template <class Body>
void ForEachRow(Rows rows, const Body& body) {
  ForRows(rows, [&](int64_t first, Rows part) {
    for (int64_t i = 0; i < part.count; ++i) body(first + i);
  });
}

// Two sums per channel, stored one after the other: add(first row, rows, sums,
// other sums) adds a block of rows to them. The blocks do not depend on the
// team.
template <class Add>
std::vector<double> SumRows(Rows rows, const Add& add) {
  constexpr int64_t kSumBlock = 1 << 16;  // elements summed as one block
  const int64_t block_rows = RowsWith(kSumBlock, rows);
  const int64_t blocks = (rows.count + block_rows - 1) / block_rows;
  const int64_t width = 2 * rows.channels;
  std::vector<double> parts(std::max<int64_t>(blocks, 1) * width);
  ParallelFor(blocks, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * block_rows;
      const Rows part{std::min(block_rows, rows.count - first), rows.channels};
      double* sums = parts.data() + block * width;
      add(first, part, sums, sums + rows.channels);
    }
  });
  for (int64_t block = 1; block < blocks; ++block) {
    for (int64_t i = 0; i < width; ++i) parts[i] += parts[block * width + i];
  }
  parts.resize(width);
  return parts;
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_ROWS_H_
