// For tests: a worker that reduces until another worker's fault ends the job.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_ENDLESS_REDUCTION_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_ENDLESS_REDUCTION_TESTING_H_

#include <chrono>
#include <functional>
#include <string>

#include "reference/base/error.h"
#include "reference/cluster/control/connect_control_plane.h"
#include "reference/collectives/group.h"

namespace lockstep {

inline ControlPlaneOptions OptionsWithHeartbeat(int timeout_ms) {
  ControlPlaneOptions options;
  options.heartbeat_interval = std::chrono::milliseconds(100);
  options.heartbeat_timeout = std::chrono::milliseconds(timeout_ms);
  return options;
}

struct ReductionEnd {
  std::string code;
  std::string message;
  std::chrono::milliseconds waited;  // since the last success
};

// All-reduces 25 MiB until that throws; calls `begun` after the first. None
// waits longer than a second for a worker to come.
inline ReductionEnd ReduceUntilItFails(
    Group& group, const std::function<void()>& begun = [] {}) {
  using std::chrono::steady_clock;
  const Tensor ones = Tensor::Full<float>(Shape{25 << 18}, 1.0f);
  auto last = steady_clock::now();
  try {
    for (int round = 0;; ++round) {
      const TensorList sums =
          group
              .AllReduce(
                  ReduceOp::kSum, {ones},
                  {.deadline = steady_clock::now() + std::chrono::seconds(1)})
              .Wait();
      const float sum = sums[0].at<float>((25 << 18) - 1);
      if (sum != static_cast<float>(group.size())) {
        throw Internal("[Test] a sum of {}", sum);
      }
      last = steady_clock::now();
      if (round == 0) begun();
    }
  } catch (const Error& error) {
    return {.code = std::string(CodeName(error.code())),
            .message = error.what(),
            .waited = std::chrono::duration_cast<std::chrono::milliseconds>(
                steady_clock::now() - last)};
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_ENDLESS_REDUCTION_TESTING_H_
