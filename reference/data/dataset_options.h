// Options of sources and transformations, and of whole datasets
// (Dataset::WithOptions).
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "reference/tensor/nest.h"

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
// "AUTO", "FILE", as TensorFlow's.
inline std::string ToString(AutoShardPolicy policy) {
  switch (policy) {
    case AutoShardPolicy::kAuto:
      return "AUTO";
    case AutoShardPolicy::kFile:
      return "FILE";
    case AutoShardPolicy::kData:
      return "DATA";
    case AutoShardPolicy::kHint:
      return "HINT";
    case AutoShardPolicy::kOff:
      return "OFF";
  }
  return "";
}

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

// The library chooses a number: the documented value of tf.data.AUTOTUNE.
inline constexpr int64_t kAutotune = -1;

// How Map calls its function.
struct MapOptions {
  // Number of elements for which the function is called at the same time, each
  // on a thread of its own; 0: on the thread that reads. More than 128 count as
  // 128. With kAutotune as many as make elements arrive faster
  // (transformations/parallelism.h). While elements take less time to make than
  // to hand over (10 us), the thread that reads makes them.
  int64_t num_parallel_calls = 0;
  // Whether elements keep the order of the input. Otherwise they come as they
  // are ready, in another order in each pass. Workers cannot divide them
  // then, except by files.
  bool deterministic = true;
  // Without it element_spec() finds it by calling the function on zeros (twice
  // if dimensions are unknown).
  std::optional<SpecStructure> output_spec = std::nullopt;
};

// How Interleave reads the datasets that its function returns.
struct InterleaveOptions {
  // Number of datasets that are open at once.
  int64_t cycle_length = 1;
  // Number of elements taken from one before the next one's turn.
  int64_t block_length = 1;
  // Number of open datasets that are read ahead, each by its own thread; at
  // most cycle_length, or kAutotune: none while their elements take less than
  // 10 us. The functions of these datasets then run concurrently.
  int64_t num_parallel_calls = 0;
  // Whether the order is that without threads. Otherwise a dataset whose next
  // element is not ready may lose its turn to another one. See MapOptions.
  bool deterministic = true;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_OPTIONS_H_
