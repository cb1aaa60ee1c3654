// Pass after pass over the input: `count` of them, or for ever.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_REPEAT_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_REPEAT_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// `count` < 0: for ever, unless a pass is empty.
NodePtr MakeRepeat(NodePtr input, int64_t count);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_REPEAT_H_
