// Elements with their position.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_ENUMERATE_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_ENUMERATE_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

NodePtr MakeEnumerate(NodePtr input, int64_t start);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_ENUMERATE_H_
