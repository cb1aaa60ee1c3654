// Every workload there is, by its name.
//
//   for (const NamedWorkload& each : AllWorkloads()) Print("{}", each.help);
//   const Workload workload = MakeWorkload("resnet50", {.image_size = 64});
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_ALL_WORKLOADS_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_ALL_WORKLOADS_H_

#include <string>
#include <vector>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workload_options.h"

namespace lockstep::benchmarks {

struct NamedWorkload {
  std::string name;  // "resnet50"
  std::string help;  // for --help, lines of at most 58 characters
  Workload (*make)(const WorkloadOptions& options);
};

const std::vector<NamedWorkload>& AllWorkloads();

std::vector<std::string> WorkloadNames();

// Errors: InvalidArgument for a name that no workload has, with all names; and
// those of its data.
Workload MakeWorkload(const std::string& name, const WorkloadOptions& options);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_ALL_WORKLOADS_H_
