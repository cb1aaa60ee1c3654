// For tests: control planes between threads of one process, and one that
// forwards to another.
//
//   auto planes = MakeThreadControlPlanes(2);   // planes[w] is worker w's
//   // On the thread of worker w: planes[w]->Exchange(...);
//   planes[1].reset();                          // worker 1 has died
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_TESTING_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_TESTING_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/cluster/control/worker_control_plane.h"

namespace lockstep {

// REQUIRES: num_workers >= 1.
inline std::vector<std::unique_ptr<ControlPlane>> MakeThreadControlPlanes(
    int num_workers) {
  std::vector<std::string> names;
  for (int w = 0; w < num_workers; ++w) {
    names.push_back("worker " + std::to_string(w));
  }
  const auto job_state =
      std::make_shared<control_internal::JobState>(std::move(names));
  std::vector<std::unique_ptr<ControlPlane>> planes;
  for (int w = 0; w < num_workers; ++w) {
    planes.push_back(control_internal::JoinJob(job_state, WorkerId(w)));
  }
  return planes;
}

// Forwards to another control plane; tests override some calls.
class ForwardingControlPlane : public ControlPlane {
 public:
  explicit ForwardingControlPlane(std::unique_ptr<ControlPlane> plane)
      : worker_(plane->worker()),
        num_workers_(plane->num_workers()),
        plane_(std::move(plane)) {}

  WorkerId worker() const override { return worker_; }
  int num_workers() const override { return num_workers_; }
  std::vector<std::string> Exchange(std::string_view name,
                                    const std::string& mine,
                                    Deadline deadline) override {
    return plane_->Exchange(name, mine, deadline);
  }
  void Abort(std::string_view reason) override { plane_->Abort(reason); }
  void Check() const override { plane_->Check(); }
  std::unique_ptr<Watch> OnFailure(
      std::function<void(const Error&)> on_failure) override {
    return plane_->OnFailure(std::move(on_failure));
  }
  void Leave() override { plane_->Leave(); }

 protected:
  // The worker dies. REQUIRES: only worker() and num_workers() are called
  // later.
  void Die() { plane_.reset(); }

 private:
  const WorkerId worker_;
  const int num_workers_;
  std::unique_ptr<ControlPlane> plane_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_TESTING_H_
