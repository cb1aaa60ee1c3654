// What TF_CONFIG says, before it is decided which clusters are possible.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_TF_CONFIG_H_
#define LOCKSTEP_REFERENCE_CLUSTER_TF_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/environment.h"

namespace lockstep::cluster_internal {

// Leads the messages.
inline constexpr char kTfConfigOperation[] = "TfConfigClusterResolver";

struct TfTask {
  std::string type;
  int64_t index = 0;
};

// The addresses of each type of task that has some: chief, worker, ps,
// evaluator.
using TfJobs = std::map<std::string, std::vector<WorkerAddress>>;
size_t Count(const TfJobs& jobs, const std::string& type);

struct TfConfig {
  TfJobs jobs;
  TfTask task;
};

// nullopt without TF_CONFIG, or without a cluster in it. Errors:
// InvalidArgument for malformed JSON (with the position), another structure, an
// unknown type of task, and several chiefs; Unimplemented for a cluster that
// only lists some of its tasks.
std::optional<TfConfig> ReadTfConfig(const Environment& environment);

// Errors: InvalidArgument unless the task is one of the cluster.
void CheckOwnTask(const TfConfig& config);

}  // namespace lockstep::cluster_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_TF_CONFIG_H_
