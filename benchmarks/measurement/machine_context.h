// The context of every result: machine, versions, commit, build.
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_MACHINE_CONTEXT_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_MACHINE_CONTEXT_H_

#include "reference/base/json.h"

namespace lockstep::benchmarks {

// The `context` part of a result file, in Google Benchmark's words where it
// has them (date, num_cpus, mhz_per_cpu, caches, load_avg, library_build_type),
// and ours: cpu_model, memory_bytes, operating_system, compiler, onednn,
// commit ("unknown" outside a checkout), commit_has_changes.
Json MachineContext();

// "2026-01-31T12:00:00+00:00", in UTC.
std::string CurrentDate();

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_MACHINE_CONTEXT_H_
