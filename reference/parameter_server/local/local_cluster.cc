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
  const ParameterServerCluster cluster = LocalAddresses(workers, servers);
  for (int s = 0; s < servers; ++s) {
    if (Fork()) return BecomeTask(cluster, ParameterServerRole::kServer, s);
  }
  for (int w = 0; w < workers; ++w) {
    if (Fork()) return BecomeTask(cluster, ParameterServerRole::kWorker, w);
  }
  BecomeTask(cluster, ParameterServerRole::kCoordinator, 0);
}

}  // namespace lockstep
