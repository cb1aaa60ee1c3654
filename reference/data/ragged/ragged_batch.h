// Batches of elements of unequal length, not padded.
//
//   // Of elements [], [0], [0, 1], [0, 1, 2]:
//   RaggedBatch(elements, 3)   // {row_splits: [0, 0, 1, 3], values: [0, 0, 1]},
//                              // {row_splits: [0, 3], values: [0, 1, 2]}
#ifndef LOCKSTEP_REFERENCE_DATA_RAGGED_RAGGED_BATCH_H_
#define LOCKSTEP_REFERENCE_DATA_RAGGED_RAGGED_BATCH_H_

#include <cstdint>

#include "reference/data/dataset.h"

namespace lockstep {

// As tf.data.Dataset.ragged_batch: leaves whose first dimension is unknown by
// element_spec() become ragged batches (ragged.h), others are stacked as by
// Batch.
// Errors: InvalidArgument for size < 1; when read, for unequal types, unequal
// known dimensions, and an unknown dimension that is not the first.
Dataset RaggedBatch(const Dataset& elements, int64_t size,
                    bool drop_remainder = false);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_RAGGED_RAGGED_BATCH_H_
