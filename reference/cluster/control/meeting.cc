#include "reference/cluster/control/meeting.h"

#include <utility>

#include "reference/base/check.h"

namespace lockstep::control_internal {
namespace {

// A message stays readable with thousands of workers.
constexpr int kMostNames = 8;

}  // namespace

Meeting::Meeting(std::vector<std::string> names) {
  LOCKSTEP_CHECK(!names.empty());
  for (std::string& name : names) members_.push_back({.name = std::move(name)});
}

void Meeting::Join(int worker, MemberEvents& events) {
  std::lock_guard lock(mutex_);
  Member& member = members_[worker];
  if (member.where != Member::kAbsent) {
    throw FailedPrecondition("[Join] {} has joined before", member.name);
  }
  member.where = Member::kHere;
  member.events = &events;
  if (failure_) events.Failed(*failure_);
}

void Meeting::NoteRefusal(const std::string& address, const Error& why) {
  std::lock_guard lock(mutex_);
  ++num_refused_;
  last_refused_ = fmt::format("{}: {}", address, why.what());
}

void Meeting::Arrive(int worker, const std::string& name,
                     const std::string& value) {
  std::lock_guard lock(mutex_);
  Member& member = members_[worker];
  if (failure_ || member.where != Member::kHere) return;
  if (const Member* left = FindLeft()) {
    member.events->Refused(Failure(FailedPrecondition(
        "[Exchange] '{}' cannot be: {} has left", name, left->name)));
    return;
  }
  member.where = Member::kWaiting;
  member.meets_at = name;
  member.brings = value;
  if (++num_waiting_ == num_workers()) Complete();
}

void Meeting::Complete() {
  const std::optional<Error> disagreement = FindDisagreement();
  std::vector<std::string> values;
  for (Member& member : members_) values.push_back(std::move(member.brings));
  if (disagreement) {
    RefuseAll(*disagreement);
    return;
  }
  num_waiting_ = 0;
  for (Member& member : members_) {
    member.where = Member::kHere;
    member.events->Met(values);
  }
}

std::optional<Error> Meeting::FindDisagreement() const {
  for (const Member& member : members_) {
    if (member.meets_at == members_[0].meets_at) continue;
    return FailedPrecondition(
        "[Exchange] workers disagree: {} is at '{}', {} at '{}'",
        members_[0].name, members_[0].meets_at, member.name, member.meets_at);
  }
  return std::nullopt;
}

void Meeting::RefuseAll(const Error& why) {
  num_waiting_ = 0;
  for (Member& member : members_) {
    if (member.where != Member::kWaiting) continue;
    member.where = Member::kHere;
    member.brings.clear();
    member.events->Refused(Failure(why));
  }
}

void Meeting::Expire(int worker) {
  std::lock_guard lock(mutex_);
  const Member& member = members_[worker];
  if (member.where != Member::kWaiting) return;
  Fail(DeadlineExceeded("[Exchange] '{}': {} waited in vain for {}",
                        member.meets_at, member.name, NamesOfMissing()));
}

std::string Meeting::NamesOfMissing() const {
  std::string names;
  int missing = 0;
  for (const Member& member : members_) {
    if (member.where == Member::kWaiting || missing++ >= kMostNames) continue;
    if (!names.empty()) names += ", ";
    names += member.name;
    if (member.where == Member::kAbsent) names += ", which never joined";
  }
  if (missing > kMostNames) {
    names += fmt::format(" and {} more", missing - kMostNames);
  }
  if (num_refused_ == 0) return names;
  return names +
         fmt::format("; {} who came to join were refused, the last one: {}",
                     num_refused_, last_refused_);
}

void Meeting::Abort(int worker, const std::string& reason) {
  std::lock_guard lock(mutex_);
  const Member& member = members_[worker];
  if (member.where == Member::kLeft) return;
  Fail(Cancelled("[Abort] {} gave the job up: {}", member.name, reason));
}

void Meeting::Leave(int worker) {
  std::lock_guard lock(mutex_);
  Member& member = members_[worker];
  if (failure_ || member.where != Member::kHere) return;
  member.where = Member::kLeft;
  RefuseAll(
      FailedPrecondition("[Exchange] given up: {} has left", member.name));
}

void Meeting::Lose(int worker, const std::string& how) {
  std::lock_guard lock(mutex_);
  Member& member = members_[worker];
  member.events = nullptr;
  if (member.where == Member::kLeft) return;
  member.where = Member::kGone;
  Fail(Unavailable("[ControlPlane] {} is gone: {}", member.name, how));
}

void Meeting::Close() {
  std::lock_guard lock(mutex_);
  failure_.emplace(Code::kUnavailable, "[ControlPlane] the chief has ended");
  for (Member& member : members_) member.events = nullptr;
}

void Meeting::Fail(const Error& why) {
  if (failure_) return;
  failure_.emplace(why);
  num_waiting_ = 0;
  for (Member& member : members_) {
    if (member.where == Member::kWaiting) member.where = Member::kHere;
    member.brings.clear();
    if (member.events) member.events->Failed(*failure_);
  }
}

const Meeting::Member* Meeting::FindLeft() const {
  for (const Member& member : members_) {
    if (member.where == Member::kLeft) return &member;
  }
  return nullptr;
}

}  // namespace lockstep::control_internal
