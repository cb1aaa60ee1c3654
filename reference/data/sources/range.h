// Numbers start, start + step, ... before stop, as int64 scalars.
#ifndef LOCKSTEP_REFERENCE_DATA_SOURCES_RANGE_H_
#define LOCKSTEP_REFERENCE_DATA_SOURCES_RANGE_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument for step 0 and more than 2^63 - 1 numbers.
NodePtr MakeRange(int64_t start, int64_t stop, int64_t step);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SOURCES_RANGE_H_
