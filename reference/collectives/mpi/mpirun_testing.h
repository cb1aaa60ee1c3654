// For tests: workers that mpirun starts on this machine.
//
//   WorkerProcess job("/usr/bin/env", MpirunArguments(3, "a/worker", {"1000"}));
//
//   // in a/worker:
//   const ClusterSpec cluster = OpenMpiClusterResolver().Resolve();
//   ConnectControlPlane(cluster, MeetInFile(cluster, options));
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPIRUN_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPIRUN_TESTING_H_

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"
#include "reference/cluster/control/connect_control_plane.h"
#include "reference/cluster/launcher_cluster_resolvers.h"

namespace lockstep {

// Arguments for /usr/bin/env. Allows more processes than cores, binds none to a
// core, and allows the user to be root, as in a container. Open MPI 5 needs a
// HOME, which Bazel's tests have not.
inline std::vector<std::string> MpirunArguments(
    int processes, const std::string& program,
    const std::vector<std::string>& arguments,
    const std::vector<std::string>& flags = {}) {
  const char* const home = std::getenv("HOME");
  std::vector<std::string> words = {std::string("HOME=") + (home ? home : "/"),
                                    "OMPI_ALLOW_RUN_AS_ROOT=1",
                                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                    "mpirun",
                                    "--oversubscribe",
                                    "--bind-to",
                                    "none",
                                    "-np",
                                    std::to_string(processes)};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back(program);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

// The chief writes its port to a file of this run, from which the others read
// it.
inline ControlPlaneOptions MeetInFile(const ClusterSpec& cluster,
                                      ControlPlaneOptions options = {}) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/" +
                           cluster.run_id() + ".port";
  options.listening = [path](int bound) {
    std::ofstream(path + ".new") << bound;
    std::rename((path + ".new").c_str(), path.c_str());
  };
  int port = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!cluster.is_chief() && !(std::ifstream(path) >> port)) {
    if (std::chrono::steady_clock::now() > end) {
      throw DeadlineExceeded("[Test] there is no {}", path);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  options.chief = WorkerAddress{"127.0.0.1", port};
  return options;
}

inline std::unique_ptr<ControlPlane> ConnectWorkersOfMpirun(
    const ControlPlaneOptions& options = {}) {
  const ClusterSpec cluster = OpenMpiClusterResolver().Resolve();
  return ConnectControlPlane(cluster, MeetInFile(cluster, options));
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPIRUN_TESTING_H_
