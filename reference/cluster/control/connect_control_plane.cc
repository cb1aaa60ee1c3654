#include "reference/cluster/control/connect_control_plane.h"

#include <utility>
#include <vector>

#include "reference/cluster/control/chief_address.h"
#include "reference/cluster/control/grpc/control_server.h"
#include "reference/cluster/control/grpc/stream_link.h"
#include "reference/cluster/control/worker_control_plane.h"

namespace lockstep {
namespace {

using control_internal::ControlServer;
using control_internal::JobState;
using control_internal::JoinJob;
using control_internal::WorkerControlPlane;
using control_internal::WorkerEvents;

std::vector<std::string> NamesOfWorkers(const ClusterSpec& cluster) {
  std::vector<std::string> names;
  for (int w = 0; w < cluster.num_workers(); ++w) {
    names.push_back(fmt::format("worker {}", w));
    if (cluster.addresses().empty()) continue;
    names.back() += fmt::format(" ({})", cluster.addresses()[w].ToString());
  }
  return names;
}

std::unique_ptr<ControlPlane> Serve(const ClusterSpec& cluster,
                                    const ControlPlaneOptions& options) {
  WorkerAddress listen = control_internal::FindChief(cluster, options);
  listen.host = options.listen_host;
  const auto server = std::make_shared<ControlServer>(
      NamesOfWorkers(cluster), cluster.run_id(), listen.ToString(), options);
  if (options.listening) options.listening(server->port());
  return JoinJob(std::shared_ptr<JobState>(server, &server->job_state()),
                 cluster.worker());
}

std::unique_ptr<ControlPlane> Attend(const ClusterSpec& cluster,
                                     const ControlPlaneOptions& options,
                                     Deadline deadline) {
  const WorkerAddress chief = control_internal::FindChief(cluster, options);
  // A chief that is gone is noticed within one interval and the timeout.
  return std::make_unique<WorkerControlPlane>(
      cluster.worker(), cluster.num_workers(), options.heartbeat_interval,
      [&](WorkerEvents& events) {
        return control_internal::JoinChief(cluster, chief, options, deadline,
                                           events);
      });
}

// All workers see the same values, so either all throw or none.
void CheckSame(ControlPlane& control, const std::string& what,
               const std::string& mine, Deadline deadline) {
  const std::vector<std::string> all = control.Exchange(what, mine, deadline);
  for (size_t w = 1; w < all.size(); ++w) {
    if (all[w] == all[0]) continue;
    control.Leave();
    throw FailedPrecondition(
        "[ConnectControlPlane] workers differ in their {}: worker 0 has '{}', "
        "worker {} has '{}'",
        what, all[0], w, all[w]);
  }
}

void CheckSameJob(ControlPlane& control, const ControlPlaneOptions& options,
                  Deadline deadline) {
  CheckSame(control, "library version", options.library_version, deadline);
  CheckSame(control, "program", options.program, deadline);
}

}  // namespace

std::unique_ptr<ControlPlane> ConnectControlPlane(
    const ClusterSpec& cluster, const ControlPlaneOptions& options) {
  control_internal::CheckOptions(options);
  if (cluster.num_workers() == 1) {
    return JoinJob(std::make_shared<JobState>(NamesOfWorkers(cluster)),
                   WorkerId(0));
  }
  const Deadline deadline =
      std::chrono::steady_clock::now() + options.join_timeout;
  auto control = cluster.is_chief() ? Serve(cluster, options)
                                    : Attend(cluster, options, deadline);
  try {
    CheckSameJob(*control, options, deadline);
  } catch (const Error& error) {
    if (error.code() != Code::kDeadlineExceeded || !cluster.is_chief()) throw;
    throw DeadlineExceeded("{}; worker 0 listened on {}", error.what(),
                           options.listen_host);
  }
  return control;
}

}  // namespace lockstep
