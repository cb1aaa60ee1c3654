#include "reference/parameter_server/local/local_cluster.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "reference/base/error.h"
#include "reference/parameter_server/local/local_addresses.h"

namespace lockstep {
namespace {

void BecomeTask(const ParameterServerCluster& cluster, ParameterServerRole role,
                int index) {
  setenv("TF_CONFIG", TfConfigOf(cluster, role, index).c_str(), /*replace=*/1);
}

// The new process's number; 0 in it.
pid_t Fork() {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    throw SystemError(errno, "[StartLocalCluster] cannot start a process");
  }
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(1);  // it has ended already
  return 0;
}

}  // namespace

std::vector<pid_t> StartLocalCluster(int workers, int servers) {
  const ParameterServerCluster cluster = LocalAddresses(workers, servers);
  std::vector<pid_t> processes;
  for (int s = 0; s < servers; ++s) {
    processes.push_back(Fork());
    if (processes.back() > 0) continue;
    BecomeTask(cluster, ParameterServerRole::kServer, s);
    return {};
  }
  for (int w = 0; w < workers; ++w) {
    if (Fork() > 0) continue;
    BecomeTask(cluster, ParameterServerRole::kWorker, w);
    return {};
  }
  BecomeTask(cluster, ParameterServerRole::kCoordinator, 0);
  return processes;
}

}  // namespace lockstep
