// A ragged batch: rows of different lengths, as tf.RaggedTensor.
//
// In elements it is a dictionary with exactly the keys "row_splits" and
// "values". Row i is values[row_splits[i]] to before values[row_splits[i + 1]]:
//
//   MakeRagged(values, row_splits)   // {row_splits: [0, 2, 2, 3],
//                                    //  values: [5, 6, 7]}
//   RaggedRow(ragged, 0)             // [5, 6]
//   RaggedToDense(ragged)            // [[5, 6], [0, 0], [7, 0]]
#ifndef LOCKSTEP_REFERENCE_DATA_EXAMPLES_RAGGED_H_
#define LOCKSTEP_REFERENCE_DATA_EXAMPLES_RAGGED_H_

#include <cstdint>

#include "reference/tensor/nest.h"

namespace lockstep {

// Errors: InvalidArgument unless row_splits are int64 numbers that begin with 0,
// do not decrease, and end with the number of values.
Structure MakeRagged(const Tensor& values, const Tensor& row_splits);

// Whether the nest has the form of a ragged batch.
bool IsRagged(const Structure& nest);

// Errors, here and below: InvalidArgument unless IsRagged(ragged).
int64_t RaggedRows(const Structure& ragged);
// The values of a row, sharing memory. Errors: also InvalidArgument for a row
// that does not exist.
Tensor RaggedRow(const Structure& ragged, int64_t row);
// A tensor of all rows, padded at the end to the longest: with `padding`, or
// for strings with "". Errors: also InvalidArgument for integers and a padding
// that is none.
Tensor RaggedToDense(const Structure& ragged, double padding = 0);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_EXAMPLES_RAGGED_H_
