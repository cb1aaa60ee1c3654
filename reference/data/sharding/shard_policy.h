// Which policy divides a dataset among workers.
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_SHARD_POLICY_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_SHARD_POLICY_H_

#include <cstdint>
#include <string>

#include "reference/data/dataset_node.h"
#include "reference/data/dataset_options.h"

namespace lockstep::data_internal {

// The options given last; with several inputs, those of the first that has any.
DatasetOptions OptionsOf(const DatasetNode& batches);

struct ShardPolicy {
  AutoShardPolicy policy = AutoShardPolicy::kOff;  // never kAuto
  std::string reason;  // "AUTO, and Range reads no files"
};

// Errors: of the functions of FlatMap and Interleave, which it calls once.
ShardPolicy ChoosePolicy(const DatasetNode& batches, int64_t workers);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_SHARD_POLICY_H_
