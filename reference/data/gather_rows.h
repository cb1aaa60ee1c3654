// Rows of axis 0 by number, copied into a tensor of their own:
//
//   GatherRows([[1, 2], [3, 4], [5, 6]], {2, 0})  // [[5, 6], [1, 2]]
#ifndef LOCKSTEP_REFERENCE_DATA_GATHER_ROWS_H_
#define LOCKSTEP_REFERENCE_DATA_GATHER_ROWS_H_

#include <cstdint>
#include <span>

#include "reference/tensor/tensor.h"

namespace lockstep::data_internal {

// REQUIRES: rank >= 1, every row exists.
Tensor GatherRows(const Tensor& tensor, std::span<const int64_t> rows);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_GATHER_ROWS_H_
