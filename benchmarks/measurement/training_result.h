// What one training run measured, and its form in a result file.
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_TRAINING_RESULT_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_TRAINING_RESULT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/measurement/phase_clock.h"
#include "benchmarks/measurement/quality.h"
#include "reference/base/json.h"

namespace lockstep::benchmarks {

struct EpochResult {
  int epoch_num = 0;  // from 1
  double loss = 0;    // mean over the steps, as the document reports it
  std::optional<double> quality = std::nullopt;  // in training, where measured
  double test_loss = 0;
  double test_quality = 0;
  double seconds = 0;           // training only
  double items_per_second = 0;  // examples
};

// Mean milliseconds per step of each phase; nothing for an unknown one.
using PhaseTimes = std::array<std::optional<double>, kPhases>;

// Of a GPU's memory, the most that any replica's device has.
struct MemoryUse {
  int64_t bytes_in_use = 0;
  int64_t peak_bytes = 0;
};

// How training steps ran, warm-up included.
struct StepGraphCounts {
  int64_t eager_steps = 0;
  int64_t captures = 0;
  int64_t launches = 0;
};

// All steps of a run, in order, warm-up included; milliseconds.
struct StepSamples {
  std::vector<double> wall;
  std::vector<double> cpu;  // of all the process's threads together
};

// What the step's calls of cuDNN and cuBLASLt take, each timed alone.
struct LibraryTime {
  int64_t calls = 0;
  double milliseconds = 0;  // of all
};

struct TrainingResult {
  std::string workload;
  std::string precision = "float32";
  std::string device = "cpu";
  std::string optimizer;
  std::string item = "image";     // what an example is
  double tokens_per_example = 0;  // 0: examples are no sequences
  Quality quality = {};
  bool mirrored = true;  // false: trained without a strategy
  int workers = 1;
  int replicas = 1;  // of each worker
  int threads_per_replica = 1;
  int64_t global_batch_size = 0;
  uint64_t seed = 0;
  int64_t steps = 0;  // measured ones, without warm-up
  std::vector<EpochResult> epochs;
  int steps_per_block = 1;
  std::vector<double> blocks;  // examples/s of each block of steps, in order
  std::optional<StepSamples> step_ms = std::nullopt;  // where requested
  PhaseTimes phase_ms{};                              // on the slowest replica
  // On CPUs, the time of each measured step's all-reduce on the replica that
  // came last, which does not wait for others.
  std::vector<double> reduce_ms;
  std::optional<MemoryUse> memory = std::nullopt;  // where replicas are GPUs
  std::optional<StepGraphCounts> step_graphs = std::nullopt;  // likewise
  std::optional<LibraryTime> library = std::nullopt;  // of one replica there
  bool copies_bitwise_equal = false;                  // else not compared yet
};

// Median over the blocks; over the epochs where no block is whole; else 0.
double ItemsPerSecond(const TrainingResult& result);

// Milliseconds of a step at that speed; 0 where there is none.
double StepMilliseconds(const TrainingResult& result);

// Examples/s over examples/s of one worker's one replica among `all`, under a
// strategy, which had the same cores: the median of the ratios epoch by epoch,
// since epochs are interleaved and a machine that slows down for a while slows
// both. Nothing without such a run or without an epoch of both, and for a run
// without a strategy.
std::optional<double> Efficiency(const TrainingResult& result,
                                 const std::vector<TrainingResult>& all);

// Examples/s of several workers over those of one that has as many replicas, on
// the same cores: the median as above.
std::optional<double> OverOneWorker(const TrainingResult& result,
                                    const std::vector<TrainingResult>& all);

// The time to sum a step's gradients once all replicas have come.
struct Communication {
  double milliseconds = 0;  // the mean over the steps
  double share = 0;         // of a step
};
// Nothing where no steps were measured, and on GPUs.
std::optional<Communication> CommunicationOf(const TrainingResult& result);

// The relative overhead of the strategy's one-replica run over the run without
// a strategy: 0.01 is 1 %. The median as above.
std::optional<double> StrategyOverhead(const TrainingResult& result,
                                       const std::vector<TrainingResult>& all);

// The entry of a result file (see benchmarks/README.md for each field).
Json ToJson(const TrainingResult& result,
            const std::vector<TrainingResult>& all);

// "24415", "5.28".
std::string FormatRate(double items_per_second);

// A readable table, one row per run, with notes.
std::string FormatTable(const std::vector<TrainingResult>& all);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_TRAINING_RESULT_H_
