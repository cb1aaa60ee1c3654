// Elements stacked by `size` along a new first axis.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_BATCH_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_BATCH_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument for size < 1.
NodePtr MakeBatch(NodePtr input, int64_t size, bool drop_remainder);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_BATCH_H_
