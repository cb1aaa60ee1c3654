// Control planes between threads of one process, for tests.
//
//   auto planes = MakeThreadControlPlanes(2);   // planes[w] is worker w's
//   // On the thread of worker w: planes[w]->Exchange(...);
//   planes[1].reset();                          // worker 1 has died
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_TESTING_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_TESTING_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/cluster/control/member.h"

namespace lockstep {

// REQUIRES: num_workers >= 1.
inline std::vector<std::unique_ptr<ControlPlane>> MakeThreadControlPlanes(
    int num_workers) {
  std::vector<std::string> names;
  for (int w = 0; w < num_workers; ++w) {
    names.push_back("worker " + std::to_string(w));
  }
  const auto meeting =
      std::make_shared<control_internal::Meeting>(std::move(names));
  std::vector<std::unique_ptr<ControlPlane>> planes;
  for (int w = 0; w < num_workers; ++w) {
    planes.push_back(control_internal::JoinMeeting(meeting, WorkerId(w)));
  }
  return planes;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_TESTING_H_
