// Options of sources and transformations, and of whole datasets
// (Dataset::WithOptions).
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_

#include <cstdint>
#include <string>

namespace lockstep {

// Which part of a dataset a worker reads (auto_shard.h), as
// tf.data.experimental.AutoShardPolicy.
enum class AutoShardPolicy {
  // kFile if every source reads files, else kData.
  kAuto,
  // Worker i % workers reads file i of each source, and divides the batches
  // that it makes of its files.
  kFile,
  // Every worker makes the same batches and keeps its own parts of them. With a
  // shuffle all workers need the same seed.
  kData,
  // Shard(kShardHint, ...) becomes Shard(workers, worker). Without one nothing
  // is sharded.
  kHint,
  // Every worker reads all data.
  kOff,
};

// Replaces a number of shards for AutoShardPolicy::kHint: the documented value
// of tf.data.experimental.SHARD_HINT.
inline constexpr int64_t kShardHint = -1;

// As tf.data.Options.
struct DatasetOptions {
  AutoShardPolicy auto_shard_policy = AutoShardPolicy::kAuto;
  // If not empty, every worker that reads the dataset through AutoShard, as
  // strategies do, records the examples that its replicas get in a new file
  // "<element_log>-<worker>-of-<workers>". One line per example, separated by
  // tabs:
  //   pass  step  replica (of all workers)  example
  // An example is its numbers and short strings; anything longer is "#" and its
  // CRC-32C. To find examples that were read twice in a pass:
  //   cut -f1,4 log-*-of-* | sort | uniq -d
  std::string element_log = {};
};

// The layout of a file of records of one size: a header, the records, a footer.
struct FixedLengthLayout {
  int64_t record_bytes = 1;
  int64_t header_bytes = 0;
  int64_t footer_bytes = 0;
};

// How Interleave reads the datasets that its function returns.
struct InterleaveOptions {
  // Number of datasets that are open at once.
  int64_t cycle_length = 1;
  // Number of elements taken from one before the next one's turn.
  int64_t block_length = 1;
  // Number of open datasets that are read ahead, each by its own thread. The
  // order of elements does not depend on it. The functions of these datasets
  // then run concurrently.
  int64_t num_parallel_calls = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_
