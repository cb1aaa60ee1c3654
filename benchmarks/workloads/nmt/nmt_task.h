// What NMT trains: the next word of a translation.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_NMT_NMT_TASK_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_NMT_NMT_TASK_H_

#include <cstdint>
#include <memory>

#include "benchmarks/workloads/nmt/nmt.h"
#include "benchmarks/workloads/task.h"

namespace lockstep::benchmarks {

// The words that begin and end each sentence; 0 fills it.
inline constexpr int64_t kBeginWord = 1, kEndWord = 2;

// Examples are pairs of sentences (source, target), int64 [S] and [T]: word 1
// begins them, word 2 ends them, 0 is padding, which does not count. In training
// the decoder sees the right words before each that it predicts. The quality is
// BLEU of greedy translations of the test sentences.
std::unique_ptr<Task> MakeNmtTask(const NmtModel& model);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_NMT_NMT_TASK_H_
