// Workers that read one dataset begin the same pass over it: that of worker 0.
//
//   all = Gather([&] { return AnnouncePass(sharding, pipelines); });
//   TakeSamePass("GetNext", all, sharding, pipelines);   // then read
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_SAME_PASS_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_SAME_PASS_H_

#include <span>
#include <string_view>
#include <vector>

#include "reference/data/dataset_node.h"
#include "reference/data/sharding/auto_shard.h"
#include "reference/tensor/tensor.h"

namespace lockstep::data_internal {

// What a worker announces to begin a pass: its sharding and the state of its
// passes over `pipelines`.
std::vector<Tensor> AnnouncePass(const Sharding& sharding,
                                 std::span<const NodePtr> pipelines);

// Makes the next pass over `pipelines` that of worker 0. Under DATA and HINT
// workers divide the elements of one pass, so they also take its seeds and the
// orders that its caches have. Otherwise only equal pipelines need equal counts
// of passes.
//
// Errors: FailedPrecondition, led by `operation`, if workers shard different
// data, or in different ways. All workers see the same announcements, so all of
// them throw or none.
void TakeSamePass(std::string_view operation,
                  const std::vector<std::vector<Tensor>>& announced,
                  const Sharding& sharding, std::span<const NodePtr> pipelines);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_SAME_PASS_H_
