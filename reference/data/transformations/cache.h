// What the first complete pass yields, kept for later passes.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_CACHE_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_CACHE_H_

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

NodePtr MakeCache(NodePtr input);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_CACHE_H_
