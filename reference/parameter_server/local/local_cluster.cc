#include "reference/parameter_server/local/local_cluster.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reference/base/error.h"
#include "reference/base/json.h"
#include "reference/cluster/free_port.h"

namespace lockstep {
namespace {

Json FreeAddresses(int count) {
  Json addresses = Json::array();
  for (int i = 0; i < count; ++i) {
    addresses.push_back(fmt::format("127.0.0.1:{}", FreePort()));
  }
  return addresses;
}

void BecomeTask(const Json& cluster, std::string_view job, int index) {
  const Json task = {{"type", job}, {"index", index}};
  const std::string config = Json{{"cluster", cluster}, {"task", task}}.dump();
  setenv("TF_CONFIG", config.c_str(), /*replace=*/1);
}

// Whether this is the new process.
bool Fork() {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    throw SystemError(errno, "[StartLocalCluster] cannot start a process");
  }
  if (child > 0) return false;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(1);  // it has ended already
  return true;
}

}  // namespace

void StartLocalCluster(int workers, int servers) {
  const Json cluster = {{"chief", FreeAddresses(1)},
                        {"worker", FreeAddresses(workers)},
                        {"ps", FreeAddresses(servers)}};
  for (const char* job : {"ps", "worker"}) {
    for (size_t index = 0; index < cluster[job].size(); ++index) {
      if (Fork()) return BecomeTask(cluster, job, static_cast<int>(index));
    }
  }
  BecomeTask(cluster, "chief", 0);
}

}  // namespace lockstep
