// Short forms of what workers read, for tests.
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_AUTO_SHARD_TESTING_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_AUTO_SHARD_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reference/data/dataset_testing.h"
#include "reference/data/sharding/auto_shard.h"

namespace lockstep {

using Texts = std::vector<std::string>;

// What worker `worker` of two reads, one text per step: its replicas' parts.
inline Texts StepsOf(int worker, int replicas_each, const Dataset& batches,
                     AutoShardPolicy policy = AutoShardPolicy::kAuto) {
  const Texts parts =
      ReadAll(AutoShard(batches.WithOptions({.auto_shard_policy = policy}),
                        {.workers = 2,
                         .worker = worker,
                         .replicas = int64_t{2} * replicas_each}));
  Texts steps;
  for (size_t i = 0; i < parts.size(); i += replicas_each) {
    steps.push_back(parts[i]);
    for (int r = 1; r < replicas_each; ++r)
      steps.back() += " " + parts.at(i + r);
  }
  return steps;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_AUTO_SHARD_TESTING_H_
