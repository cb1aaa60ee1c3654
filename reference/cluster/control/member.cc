#include "reference/cluster/control/member.h"

#include <utility>

namespace lockstep::control_internal {
namespace {

class MeetingLink : public MemberLink {
 public:
  MeetingLink(std::shared_ptr<Meeting> meeting, int worker,
              MemberEvents& events)
      : meeting_(std::move(meeting)), worker_(worker) {
    meeting_->Join(worker_, events);
  }
  ~MeetingLink() override { meeting_->Lose(worker_, "it ended"); }

  void Arrive(const std::string& name, const std::string& value) override {
    meeting_->Arrive(worker_, name, value);
  }
  void Expire() override { meeting_->Expire(worker_); }
  void Abort(const std::string& reason) override {
    meeting_->Abort(worker_, reason);
  }
  void Leave() override { meeting_->Leave(worker_); }

 private:
  const std::shared_ptr<Meeting> meeting_;
  const int worker_;
};

}  // namespace

Member::Member(WorkerId worker, int num_workers,
               std::chrono::milliseconds patience, const Link& link)
    : worker_(worker),
      num_workers_(num_workers),
      patience_(patience),
      link_(link(*this)) {}

std::vector<std::string> Member::Exchange(std::string_view name,
                                          const std::string& mine,
                                          Deadline deadline) {
  failure_.Check();
  CheckSize(mine.size());
  link_->Arrive(std::string(name), mine);
  if (!AwaitOutcome(deadline)) GiveUp(name);
  std::optional<Outcome> outcome = TakeOutcome();
  if (!outcome) failure_.Check();
  if (outcome->refused) throw outcome->refused->ToError();
  return std::move(outcome->values);
}

void Member::CheckSize(size_t bytes) const {
  const size_t most = kMostExchangedBytes / num_workers_;
  if (bytes <= most) return;
  throw InvalidArgument("[Exchange] {} workers may bring {} bytes each, got {}",
                        num_workers_, most, bytes);
}

void Member::GiveUp(std::string_view name) {
  link_->Expire();
  if (AwaitOutcome(std::chrono::steady_clock::now() + patience_)) return;
  const Error why =
      DeadlineExceeded("[Exchange] '{}': worker {} waits, and nobody answers",
                       name, worker_.value());
  Failed(Failure(why));
  link_->Abort(why.what());
}

// Whether it is known how the meeting ended, or that the job has failed.
bool Member::AwaitOutcome(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto known = [&] { return outcome_ || failure_.IsSet(); };
  if (deadline != kNoDeadline) {
    return changed_.wait_until(lock, deadline, known);
  }
  changed_.wait(lock, known);
  return true;
}

// What all have brought is given out even where somebody failed right after.
std::optional<Member::Outcome> Member::TakeOutcome() {
  std::lock_guard lock(mutex_);
  return std::exchange(outcome_, std::nullopt);
}

void Member::Abort(std::string_view reason) {
  link_->Abort(std::string(reason));
}

void Member::Leave() {
  failure_.Check();
  link_->Leave();
}

void Member::Met(const std::vector<std::string>& values) {
  End({.values = values, .refused = {}});
}

void Member::Refused(const Failure& why) {
  // Whoever waited wakes by the failure, perhaps not yet.
  if (failure_.IsSet()) return;
  End({.values = {}, .refused = why});
}

void Member::End(Outcome outcome) {
  std::lock_guard lock(mutex_);
  outcome_ = std::move(outcome);
  changed_.notify_all();
}

void Member::Failed(const Failure& why) {
  failure_.Set(why);
  std::lock_guard lock(mutex_);
  changed_.notify_all();
}

std::unique_ptr<ControlPlane> JoinMeeting(std::shared_ptr<Meeting> meeting,
                                          WorkerId worker) {
  const int workers = meeting->num_workers();
  // The meeting answers an Expire before it returns.
  return std::make_unique<Member>(
      worker, workers, std::chrono::milliseconds(0), [&](MemberEvents& events) {
        return std::make_unique<MeetingLink>(std::move(meeting), worker.value(),
                                             events);
      });
}

}  // namespace lockstep::control_internal
