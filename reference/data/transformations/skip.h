// All but the first `count` items.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_SKIP_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_SKIP_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// `count` < 0: none are left.
NodePtr MakeSkip(NodePtr input, int64_t count);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_SKIP_H_
