// Elements made ahead of time on another thread.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PREFETCH_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PREFETCH_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// `buffer_size` < 0: two elements ahead; 0: none, on the caller's thread.
NodePtr MakePrefetch(NodePtr input, int64_t buffer_size);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PREFETCH_H_
