// A tensor as rows of columns: some axes are the columns, the others the rows.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_COLUMNS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_COLUMNS_H_

#include <span>

#include "reference/tensor/tensor.h"

namespace lockstep::preprocessing_internal {

// x of shape [2, 3, 5]: ToColumns(x, {1}) has shape [10, 3], and
// ToColumns(x, {0, 2}) [3, 10]. A view if the columns are the last axes.
//
// float32 stays float32; other numbers become float64. On the host. REQUIRES:
// numbers; axes in ascending order, in range, of sizes above 0.
Tensor ToColumns(const Tensor& x, std::span<const int> axes);

}  // namespace lockstep::preprocessing_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_COLUMNS_H_
