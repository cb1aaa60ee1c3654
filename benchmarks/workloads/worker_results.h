// Merges the measurements of several workers that trained together.
//
//   // On every worker; `texts` has one text per worker:
//   texts = control.Exchange("measured", MeasuredText(result), deadline);
//   result = OfAllWorkers(result, texts);
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_WORKER_RESULTS_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_WORKER_RESULTS_H_

#include <string>
#include <vector>

#include "benchmarks/measurement/training_result.h"
#include "reference/base/trace_events.h"

namespace lockstep::benchmarks {

// The part of a worker's result that the others do not have: its phases, and
// the all-reduce of each step.
std::string MeasuredText(const TrainingResult& result);

// `mine` with the phases of the worker with the replica that was busy longest,
// and of each step the all-reduce of the replica of all workers that came last.
// Errors: InvalidArgument for any other text; FailedPrecondition
// where workers have measured other numbers of steps.
TrainingResult OfAllWorkers(TrainingResult mine,
                            const std::vector<std::string>& texts);

std::string TraceText(const TraceProcess& trace);

// One process with the tracks of all workers, "worker 1, replica 0 (CPU:0)".
// Workers of one machine have one clock. Errors: as above.
TraceProcess TraceOfAllWorkers(const std::string& name,
                               const std::vector<std::string>& texts);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_WORKER_RESULTS_H_
