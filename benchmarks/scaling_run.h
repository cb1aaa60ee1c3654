// The scaling benchmark: one trainer for each number of workers and of
// replicas, and optionally one without a strategy, in turn.
#ifndef LOCKSTEP_BENCHMARKS_SCALING_RUN_H_
#define LOCKSTEP_BENCHMARKS_SCALING_RUN_H_

#include <functional>
#include <vector>

#include "benchmarks/measurement/training_result.h"
#include "benchmarks/scaling_options.h"
#include "benchmarks/workloads/workload.h"
#include "reference/base/trace_events.h"

namespace lockstep::benchmarks {

struct ScalingRun {
  // None first, then by workers, of those by replicas.
  std::vector<TrainingResult> results;
  std::vector<TraceProcess> traces;  // likewise; empty without a trace
  bool complete = false;             // not stopped on the way
};

struct ScalingHooks {
  std::function<bool()> stop;  // checked after each step, and between turns
  // Called after each epoch with what has been measured so far, in the order of
  // `results`; the copies are not compared yet.
  std::function<void(const std::vector<TrainingResult>&)> epoch_is_over;
};

// Trains all configurations, one epoch each in turn, in reversed order every
// second time, so that a machine that slows down slows all of them. Prints a
// line per epoch on stdout and a progress bar on stderr. When stopped, returns
// what was measured by then. When it returns or throws, the processes of other
// workers have ended.
// Errors: InvalidArgument for a trace of a run that ends with its
// warm-up; those of Turns, and of trainers, with what became of other workers.
ScalingRun RunScaling(const ScalingOptions& options, const Workload& workload,
                      const ScalingHooks& hooks);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_SCALING_RUN_H_
