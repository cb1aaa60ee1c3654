// A worker's control plane over whatever links it with the others.
//
//   const auto meeting = std::make_shared<Meeting>(names);
//   JoinMeeting(meeting, WorkerId(0));   // a control plane without a network
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_MEMBER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_MEMBER_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/cluster/control/control_plane.h"
#include "reference/cluster/control/failure_watch.h"
#include "reference/cluster/control/meeting.h"
#include "reference/cluster/control/member_link.h"

namespace lockstep::control_internal {

class Member final : public ControlPlane, private MemberEvents {
 public:
  using Link = std::function<std::unique_ptr<MemberLink>(MemberEvents&)>;

  // `patience`: how long after its deadline a call still waits to hear who is
  // missing. Errors: those of `link`, which is called once.
  Member(WorkerId worker, int num_workers, std::chrono::milliseconds patience,
         const Link& link);

  WorkerId worker() const override { return worker_; }
  int num_workers() const override { return num_workers_; }
  std::vector<std::string> Exchange(std::string_view name,
                                    const std::string& mine,
                                    Deadline deadline) override;
  void Abort(std::string_view reason) override;
  void Check() const override { failure_.Check(); }
  std::unique_ptr<Watch> OnFailure(
      std::function<void(const Error&)> told) override {
    return failure_.Add(std::move(told));
  }
  void Leave() override;

 private:
  // How a meeting ended: with everybody's values, or why not.
  struct Outcome {
    std::vector<std::string> values;
    std::optional<Failure> refused;
  };

  void Met(const std::vector<std::string>& values) override;
  void Refused(const Failure& why) override;
  void Failed(const Failure& why) override;

  void End(Outcome outcome);
  void CheckSize(size_t bytes) const;
  void GiveUp(std::string_view name);
  bool AwaitOutcome(Deadline deadline);
  std::optional<Outcome> TakeOutcome();

  const WorkerId worker_;
  const int num_workers_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Outcome> outcome_;
  FailureWatch failure_;
  // Last: no event comes when the rest goes.
  std::unique_ptr<MemberLink> link_;
};

// A worker that is in this process, as the meeting is. Errors:
// FailedPrecondition for one that has joined before.
std::unique_ptr<ControlPlane> JoinMeeting(std::shared_ptr<Meeting> meeting,
                                          WorkerId worker);

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_MEMBER_H_
