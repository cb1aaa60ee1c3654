// Any launcher's variables give a consistent cluster or an Error.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/cluster/slurm/slurm_cluster_resolver.h"
#include "reference/cluster/slurm/slurm_lists.h"
#include "reference/cluster/tf_config_cluster_resolver.h"

namespace lockstep {
namespace {

void AllowErrors(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    LOCKSTEP_CHECK(std::string(error.what()).starts_with("["));
    LOCKSTEP_CHECK(error.code() == Code::kInvalidArgument ||
                   error.code() == Code::kUnimplemented);
  }
}

void CheckSpec(const ClusterSpec& spec) {
  const size_t addresses = spec.addresses().size();
  LOCKSTEP_CHECK(spec.worker().value() < spec.num_workers());
  LOCKSTEP_CHECK(addresses == 0 ||
                 addresses == static_cast<size_t>(spec.num_workers()));
  for (const WorkerAddress& address : spec.addresses()) {
    LOCKSTEP_CHECK(ParseWorkerAddress(address.ToString(), "fuzz") == address);
  }
}

// With one task per node.
void ReadNodes(const std::string& list) {
  const std::vector<std::string> hosts = ExpandHostList(list);
  LOCKSTEP_CHECK(!hosts.empty() && hosts.size() <= size_t{kMostWorkers});
  const std::string tasks = std::to_string(hosts.size());
  CheckSpec(SlurmClusterResolver(Environment({{"SLURM_JOB_ID", "1"},
                                              {"SLURM_STEP_ID", "0"},
                                              {"SLURM_PROCID", "0"},
                                              {"SLURM_STEP_NUM_TASKS", tasks},
                                              {"SLURM_STEP_NODELIST", list},
                                              {"SLURM_STEP_TASKS_PER_NODE",
                                               "1(x" + tasks + ")"}}))
                .Resolve());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  AllowErrors([&] {
    CheckSpec(
        TfConfigClusterResolver(Environment({{"TF_CONFIG", text}})).Resolve());
  });
  AllowErrors([&] { ReadNodes(text); });
  AllowErrors([&] { ExpandTasksPerNode(text); });
  return 0;
}

}  // namespace lockstep
