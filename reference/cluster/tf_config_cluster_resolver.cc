#include "reference/cluster/tf_config_cluster_resolver.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/cluster/tf_config.h"

namespace lockstep {
namespace {

using cluster_internal::Count;
using cluster_internal::TfConfig;
using cluster_internal::TfJobs;

constexpr const char* kOperation = cluster_internal::kTfConfigOperation;

void CheckJobs(const TfJobs& jobs) {
  if (const size_t servers = Count(jobs, "ps")) {
    throw Unimplemented(
        "[{}] a cluster must be of a chief and workers, got one with {} "
        "parameter servers (ps)",
        kOperation, servers);
  }
  if (Count(jobs, "chief") + Count(jobs, "worker") == 0) {
    throw InvalidArgument(
        "[{}] a cluster must have a chief or workers, got neither", kOperation);
  }
}

}  // namespace

ClusterSpec TfConfigClusterResolver::Resolve() const {
  std::optional<TfConfig> config = cluster_internal::ReadTfConfig(environment_);
  if (!config) return ClusterSpec();
  CheckJobs(config->jobs);
  const auto& [type, index] = config->task;
  if (type != "chief" && type != "worker") {
    throw Unimplemented("[{}] task.type must be chief or worker, got {}",
                        kOperation, type);
  }
  cluster_internal::CheckOwnTask(*config);
  // The chief's number is 0, and workers follow it.
  const size_t before = type == "chief" ? 0 : Count(config->jobs, "chief");
  ClusterFacts facts{.origin = "TF_CONFIG",
                     .worker = WorkerId(static_cast<int>(before + index))};
  facts.addresses = std::move(config->jobs["chief"]);
  const std::vector<WorkerAddress>& workers = config->jobs["worker"];
  facts.addresses.insert(facts.addresses.end(), workers.begin(), workers.end());
  facts.num_workers = static_cast<int>(facts.addresses.size());
  return ClusterSpec(std::move(facts));
}

}  // namespace lockstep
