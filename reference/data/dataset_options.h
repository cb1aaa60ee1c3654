// What a dataset asks of those who read it; see Dataset::WithOptions.
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_

#include <cstdint>

namespace lockstep {

// Which part of a dataset a worker reads (auto_shard.h), as
// tf.data.experimental.AutoShardPolicy.
enum class AutoShardPolicy {
  // kFile where every source reads files, else kData.
  kAuto,
  // File i of each source is read by worker i modulo workers, which divides the
  // batches that it makes of its files.
  kFile,
  // Every worker makes the same batches and keeps every workers-th part, from
  // its own index on: with a shuffle all workers need the same seed.
  kData,
  // Shard(kShardHint, ...) becomes Shard(workers, worker); where there is none
  // nothing is sharded.
  kHint,
  // Every worker reads all.
  kOff,
};

// In place of a number of shards, for AutoShardPolicy::kHint. The documented
// value of tf.data.experimental.SHARD_HINT.
inline constexpr int64_t kShardHint = -1;

// As tf.data.Options.
struct DatasetOptions {
  AutoShardPolicy auto_shard_policy = AutoShardPolicy::kAuto;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_
