// Every `num_shards`-th item, from item `index` on.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_SHARD_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_SHARD_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument unless 0 <= index < num_shards.
NodePtr MakeShard(NodePtr input, int64_t num_shards, int64_t index);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_SHARD_H_
