// The first `count` items.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_TAKE_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_TAKE_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// `count` < 0: all.
NodePtr MakeTake(NodePtr input, int64_t count);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_TAKE_H_
