// How it works. A mesh fails once. Three things can make it fail: this rank
// gives up, a notice of another rank comes, or the control plane reports that
// the job has failed. The first of them passes Claim and sets the reason; all
// later ones change nothing.
//
//   rank 0                                rank 1
//   GiveUp(why): Claim
//     tell(notice)      ---------------->  OnPeerNotice(notice): Claim
//     SetReason, wakes its waiter            SetReason, wakes its waiter
//   Check() throws why                    Check() throws why
//
// A thread of rank 0 that waits is woken last. Once awake it leaves the
// collective and frees the memory of its messages; until then these can still
// arrive.
//
// A rank often gives up because the control plane has reported to it that the
// job has failed. That failure is then the reason, and needs no notice: the
// control plane reports it to the others too. A notice would be quicker, but
// says only that a rank was cancelled.
//
// A notice may overtake a collective that can still succeed. Rank 0 has done
// collective 7 and then fails; rank 1 is still in 7, with all that it needs on
// its way. So a notice carries how many collectives its sender has done. If
// this rank has done fewer, the notice waits in early_ until CollectiveDone has
// caught up: every rank returns from 7, and every rank fails after it.
#include "reference/collectives/mesh/mesh_failure.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "reference/collectives/barrier.h"

namespace lockstep::collectives_internal {
namespace {

std::optional<Error> FailureOfJob(const ControlPlane& control) {
  try {
    control.Check();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace

MeshFailure::MeshFailure(ControlPlane& control) : control_(control) {
  watch_ = control.OnFailure([this](const Error& error) {
    if (Claim()) SetReason(error, /*of_a_rank=*/false);
  });
}

void MeshFailure::GiveUp(const Error& why, const Tell& tell) {
  if (!Claim()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reason_.has_value(); });
    return;
  }
  if (const std::optional<Error> job = FailureOfJob(control_)) {
    return SetReason(*job, /*of_a_rank=*/false);
  }
  tell(NoticeOf(why));
  SetReason(why, /*of_a_rank=*/true);
}

MeshFailure::Notice MeshFailure::NoticeOf(const Error& why) {
  Notice notice = {.code = why.code()};
  const std::string text = why.what();
  std::memcpy(notice.text.data(), text.data(),
              std::min(text.size(), notice.text.size() - 1));
  const std::lock_guard lock(mutex_);
  notice.done = done_;
  return notice;
}

void MeshFailure::OnPeerNotice(const Notice& notice) {
  {
    const std::lock_guard lock(mutex_);
    if (notice.done > done_) {
      if (!early_) early_ = notice;
      return;
    }
  }
  if (Claim()) {
    SetReason(Error(notice.code, notice.text.data()), /*of_a_rank=*/true);
  }
}

void MeshFailure::CollectiveDone() {
  std::optional<Notice> due;
  {
    const std::lock_guard lock(mutex_);
    ++done_;
    due = std::exchange(early_, std::nullopt);
  }
  if (due) OnPeerNotice(*due);
}

void MeshFailure::BeginWait(Waiter& waiter) {
  const std::lock_guard lock(mutex_);
  if (reason_) Throw(*reason_);
  waiter_ = &waiter;
}

void MeshFailure::EndWait() {
  const std::lock_guard lock(mutex_);
  waiter_ = nullptr;
}

bool MeshFailure::Claim() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(claimed_, true);
}

void MeshFailure::SetReason(const Error& why, bool of_a_rank) {
  const std::lock_guard lock(mutex_);
  reason_ = {.error = why, .of_a_rank = of_a_rank};
  known_.store(true, std::memory_order_release);
  if (waiter_ != nullptr) waiter_->Wake();
  changed_.notify_all();
}

void MeshFailure::WaitUntilKnown(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return reason_.has_value(); });
}

void MeshFailure::Check() const {
  {
    const std::lock_guard lock(mutex_);
    if (reason_) Throw(*reason_);
  }
  control_.Check();  // the watch may be called a moment later
}

void MeshFailure::Rethrow() const {
  const std::lock_guard lock(mutex_);
  Throw(reason_.value());
}

void MeshFailure::Throw(const Reason& reason) {
  const bool consequence =
      reason.of_a_rank && reason.error.code() == Code::kCancelled;
  if (consequence) throw PeerFailure();
  throw Error(reason.error);
}

}  // namespace lockstep::collectives_internal
