// Workers that are threads of one process and use gRPC.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_CONTROL_PLANE_TESTING_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_CONTROL_PLANE_TESTING_H_

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "reference/cluster/control/connect_control_plane.h"

namespace lockstep {

inline constexpr char kTestHost[] = "127.0.0.1";

inline ClusterSpec WorkerOf(int num_workers, int worker) {
  return ClusterSpec({.num_workers = num_workers, .worker = WorkerId(worker)});
}

// A deadline that is long enough for a busy machine.
inline Deadline Soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

// The chief's ConnectControlPlane, on its own thread, once it listens.
struct Chief {
  std::future<std::unique_ptr<ControlPlane>> control;
  int port;

  WorkerAddress address() const { return {kTestHost, port}; }
};

inline Chief StartChief(const ClusterSpec& cluster,
                        ControlPlaneOptions options) {
  const auto port = std::make_shared<std::promise<int>>();
  options.chief = WorkerAddress{kTestHost, 0};
  options.listening = [port](int bound) { port->set_value(bound); };
  Chief chief;
  chief.control = std::async(std::launch::async, ConnectControlPlane, cluster,
                             std::move(options));
  chief.port = port->get_future().get();
  return chief;
}

inline std::vector<std::unique_ptr<ControlPlane>> MakeGrpcControlPlanes(
    int num_workers, const ControlPlaneOptions& options = {}) {
  std::vector<std::unique_ptr<ControlPlane>> planes(num_workers);
  if (num_workers == 1) {
    planes[0] = ConnectControlPlane(ClusterSpec(), options);
    return planes;
  }
  Chief chief = StartChief(WorkerOf(num_workers, 0), options);
  ControlPlaneOptions others = options;
  others.chief = chief.address();
  std::vector<std::future<std::unique_ptr<ControlPlane>>> workers;
  for (int w = 1; w < num_workers; ++w) {
    workers.push_back(std::async(std::launch::async, ConnectControlPlane,
                                 WorkerOf(num_workers, w), others));
  }
  planes[0] = chief.control.get();
  for (int w = 1; w < num_workers; ++w) planes[w] = workers[w - 1].get();
  return planes;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_GRPC_CONTROL_PLANE_TESTING_H_
