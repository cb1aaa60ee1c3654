// The pipelines that are compared with tf.data, PyTorch's DataLoader and Keras:
// benchmarks/peers/pipelines/ has the same work in those. An entry's labels say
// how much work it is; both sides must have the same ones.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_PIPELINES_PIPELINES_H_
#define LOCKSTEP_BENCHMARKS_MICRO_PIPELINES_PIPELINES_H_

#include <benchmark/benchmark.h>

#include "benchmarks/measurement/result_entry.h"

namespace lockstep::benchmarks {

// "Pipeline/work:small_batches", to which labels are added.
inline EntryName WorkName(std::string_view work) {
  return EntryName("Pipeline").With("work", work);
}

// Registers `run(state, args...)` as an entry.
template <typename... Arguments>
void RegisterWork(const EntryName& name, Arguments... arguments) {
  ::benchmark::RegisterBenchmark(name.str().c_str(), arguments...)
      ->Unit(::benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}

// Numbers in batches of 6, and shuffled images in batches of 128: batches and
// images a second.
void RegisterBatches();
// TFRecord files, four read in turn, each record parsed by a parallel map, in
// batches of 128; and the same of tf.train.Example messages, parsed in whole
// batches: records a second.
void RegisterRecords();
// 10 million numbers and words from which a layer computes its state: elements
// a second.
void RegisterAdaptations();
// A function that sleeps for 1 ms, by a parallel map; and "Ideal", plain
// threads that call it as often: calls a second.
void RegisterSleeps();

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_PIPELINES_PIPELINES_H_
