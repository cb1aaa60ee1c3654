// Images of MNIST's size for benchmarks of input.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_PIPELINES_IMAGE_ROWS_H_
#define LOCKSTEP_BENCHMARKS_MICRO_PIPELINES_IMAGE_ROWS_H_

#include <cstdint>

#include "reference/data/dataset.h"

namespace lockstep::benchmarks {

inline constexpr int64_t kImagePixels = 784;

// 0 + 1 + ... + count - 1: what labels or numbers add up to if all arrive once.
constexpr int64_t SumTo(int64_t count) { return count * (count - 1) / 2; }

// Rows of a black image [28, 28, 1] and its number, 0..count-1, as int64 label.
Dataset ImageRows(DType dtype, int64_t count);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_PIPELINES_IMAGE_ROWS_H_
