// What is said of a dataset besides its functions' arguments: how sources and
// transformations read, and what it asks of those who read it
// (Dataset::WithOptions).
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_

#include <cstdint>
#include <string>

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
  // Unless it is empty, every worker that reads the dataset by AutoShard, as
  // those of strategies do, writes to "<element_log>-<worker>-of-<workers>",
  // anew, what its replicas were given. A line an example, with tabs between
  //   pass  step  replica (of all workers)  example
  // where an example is its numbers and short strings; "#" and the CRC-32C
  // stand for more. Examples of one pass that were read twice:
  //   cut -f1,4 log-*-of-* | sort | uniq -d
  std::string element_log = {};
};

// How a file of records of one size lies: a header, the records, a footer.
struct FixedLengthLayout {
  int64_t record_bytes = 1;
  int64_t header_bytes = 0;
  int64_t footer_bytes = 0;
};

// How Interleave reads the datasets that its function gives.
struct InterleaveOptions {
  // How many of them are open at once.
  int64_t cycle_length = 1;
  // Elements taken of one before it is the next one's turn.
  int64_t block_length = 1;
  // As many of those that are open are read ahead, each by a thread of its own.
  // The order of elements is the same with any number. The functions of these
  // datasets then run at the same time.
  int64_t num_parallel_calls = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_
