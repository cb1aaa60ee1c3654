// Elements of unequal shape, padded to the longest and stacked.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PADDED_BATCH_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PADDED_BATCH_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument for size < 1; when read, for a padding that a leaf's
// type cannot hold.
NodePtr MakePaddedBatch(NodePtr input, int64_t size, double padding,
                        bool drop_remainder);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PADDED_BATCH_H_
