#include "reference/cluster/environment_cluster_resolver.h"

#include <utility>

#include "reference/base/error.h"
#include "reference/cluster/kubernetes_cluster_resolver.h"
#include "reference/cluster/launcher_cluster_resolvers.h"
#include "reference/cluster/slurm/slurm_cluster_resolver.h"
#include "reference/cluster/tf_config_cluster_resolver.h"

namespace lockstep {
namespace {

constexpr const char* kOperation = "EnvironmentClusterResolver";

void CheckAgree(const ClusterSpec& taken, const ClusterSpec& other) {
  if (taken.worker() == other.worker() &&
      taken.num_workers() == other.num_workers()) {
    return;
  }
  throw InvalidArgument(
      "[{}] launchers must agree which worker this is, got {} of {} by {} and "
      "{} of {} by {}",
      kOperation, taken.worker().value(), taken.num_workers(), taken.origin(),
      other.worker().value(), other.num_workers(), other.origin());
}

// Checks a WORLD_SIZE without RANK, which is not torchrun's.
void CheckLoneSize(const VariableReader& read, const ClusterSpec& taken) {
  if (read.Has("RANK")) return;
  const auto size = read.FindNumber("WORLD_SIZE", 1, kMostWorkers);
  if (!size || *size == taken.num_workers()) return;
  throw InvalidArgument(
      "[{}] WORLD_SIZE without RANK must be {}, the number of workers by {}, "
      "got {}",
      kOperation, taken.num_workers(), taken.origin(), *size);
}

// A batch script has the variables of its first task except those of the step.
bool IsBatchScript(const VariableReader& read) {
  return read.Has("SLURM_PROCID") &&
         read.FindNumber("SLURM_NTASKS", 1, kMostWorkers).value_or(1) > 1;
}

}  // namespace

std::vector<ClusterSpec> EnvironmentClusterResolver::ResolveAll() const {
  const VariableReader read(kOperation, environment_);
  std::vector<ClusterSpec> specs;
  const TfConfigClusterResolver tf_config(environment_);
  ClusterSpec of_tf_config = tf_config.Resolve();
  if (of_tf_config.origin() == tf_config.name()) {
    specs.push_back(std::move(of_tf_config));
  }
  const bool is_torchrun = read.Has("TORCHELASTIC_RUN_ID");
  if (is_torchrun || read.Has("RANK")) {
    specs.push_back(TorchrunClusterResolver(environment_).Resolve());
    if (is_torchrun) return specs;
  }
  if (read.Has("OMPI_COMM_WORLD_RANK")) {
    specs.push_back(OpenMpiClusterResolver(environment_).Resolve());
    return specs;
  }
  if (read.Has("SLURM_STEP_ID") || (specs.empty() && IsBatchScript(read))) {
    specs.push_back(SlurmClusterResolver(environment_, first_port_).Resolve());
  }
  const bool is_counted = read.Has("LOCKSTEP_NUM_WORKERS") || specs.empty();
  if (read.Has("JOB_COMPLETION_INDEX") && is_counted) {
    specs.push_back(
        KubernetesClusterResolver(environment_, first_port_).Resolve());
  }
  return specs;
}

ClusterSpec EnvironmentClusterResolver::Resolve() const {
  std::vector<ClusterSpec> specs = ResolveAll();
  if (specs.empty()) specs.emplace_back();
  for (const ClusterSpec& other : specs) CheckAgree(specs.front(), other);
  CheckLoneSize(VariableReader(kOperation, environment_), specs.front());
  return specs.front();
}

}  // namespace lockstep
