// For tests: workers that are threads of one process.
//
//   RunWorkers({2, 2}, [](Strategy& strategy) {   // one thread per worker
//     strategy.Run([] { ... });
//   });
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_MULTI_WORKER_TESTING_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_MULTI_WORKER_TESTING_H_

#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/log.h"
#include "reference/cluster/control/control_plane_testing.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"

namespace lockstep {

using WorkerBody = std::function<void(MultiWorkerMirroredStrategy&)>;

inline std::vector<std::string> CpuNames(int first, int count) {
  std::vector<std::string> names;
  for (int i = first; i < first + count; ++i) {
    names.push_back("CPU:" + std::to_string(i));
  }
  return names;
}

// What each worker's body threw; worker w has replicas[w] replicas. A worker
// that throws is lost, one that returns has left.
inline std::vector<std::exception_ptr> WorkersErrors(
    const std::vector<int>& replicas, const WorkerBody& body,
    const CommunicationOptions& communication = {}) {
  const LogCapture quiet;
  SetLogicalCpuDevices(std::reduce(replicas.begin(), replicas.end()));
  const int workers = static_cast<int>(replicas.size());
  auto between = std::make_shared<Rendezvous>(workers);
  auto planes = MakeThreadControlPlanes(workers);
  const auto run = [&](int w) {
    const std::shared_ptr<ControlPlane> control = std::move(planes[w]);
    const Topology topology(replicas, WorkerId(w));
    const int first = topology.GlobalId(LocalIndex(0)).value();
    MultiWorkerMirroredStrategy strategy(
        ConnectedWorkers{
            .topology = topology,
            .between = std::make_shared<InProcessGroup>(
                between, w, std::make_shared<SharedMemoryAllReduce>()),
            .control = control},
        {.devices = CpuNames(first, replicas[w]),
         .threads_per_replica = 1,
         .communication = communication});
    body(strategy);
    try {
      control->Leave();
    } catch (const Error&) {
      // The job has failed, and the body has seen the error.
    }
  };
  return RunRanks(workers, EndsOf(*between), run);
}

inline void RunWorkers(const std::vector<int>& replicas,
                       const WorkerBody& body) {
  RethrowAny(WorkersErrors(replicas, body));
}

// This worker's number.
inline int WorkerOf(const Strategy& strategy) {
  return strategy.topology().worker().value();
}
// The number of the replica that calls.
inline int ReplicaNumber() {
  return GetReplicaContext().replica_id_in_sync_group().value();
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_MULTI_WORKER_TESTING_H_
