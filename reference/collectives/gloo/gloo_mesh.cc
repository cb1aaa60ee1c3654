#include "reference/collectives/gloo/gloo_mesh.h"

#include <gloo/common/error.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/collectives/barrier.h"
#include "reference/collectives/gloo/sigpipe_guard.h"

namespace lockstep::collectives_internal {
namespace {

using std::chrono::milliseconds;

// Slots beyond the channels.
constexpr uint64_t kNoticeSlot = 16;

// Deadlines are the alarm's: a limit of Gloo's ends the connections before
// anybody could be told why.
constexpr milliseconds kNoLimit = std::chrono::hours(24 * 365);
// What a rank that gives up spends on telling the others.
constexpr milliseconds kTellLimit(200);
// What one whose connection has ended spends on learning why.
constexpr milliseconds kLearnLimit(200);
// What the others get to read it, before a connection that ends makes their
// writing fail.
constexpr milliseconds kReadLimit(20);

class GlooTransfer final : public Transfer, private GlooMesh::Waiter {
 public:
  enum class Kind { kSend, kReceive };

  GlooTransfer(GlooMesh& mesh, Kind kind, int peer,
               std::unique_ptr<gloo::transport::UnboundBuffer> buffer)
      : mesh_(mesh), kind_(kind), peer_(peer), buffer_(std::move(buffer)) {}

  void Wait(Deadline deadline) override {
    mesh_.BeginWait(*this, peer_, deadline);
    std::string failure;
    try {
      WaitFor(kNoLimit);
    } catch (const gloo::Exception& error) {
      failure = error.what();
    }
    mesh_.EndWait();
    if (!failure.empty()) mesh_.Fail(peer_, failure);
    if (woken_) mesh_.Check();
  }

  bool Linger(milliseconds limit) override {
    try {
      WaitFor(limit);
      return true;
    } catch (const gloo::Exception&) {
      return false;
    }
  }

 private:
  void WaitFor(milliseconds limit) {
    woken_ = kind_ == Kind::kSend ? !buffer_->waitSend(limit)
                                  : !buffer_->waitRecv(limit);
  }

  void Wake() override {
    if (kind_ == Kind::kSend) {
      buffer_->abortWaitSend();
    } else {
      buffer_->abortWaitRecv();
    }
  }

  GlooMesh& mesh_;
  const Kind kind_;
  const int peer_;
  const std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  bool woken_ = false;
};

}  // namespace

GlooMesh::GlooMesh(std::shared_ptr<gloo::Context> context,
                   ControlPlane& control)
    : context_(std::move(context)), control_(control), alarm_([this](int rank) {
        GiveUp(DeadlineExceeded(
            "[Collective] worker {} did not come to a collective, or stopped "
            "in it, before the deadline of worker {}",
            rank, this->rank()));
      }) {
  notices_out_ =
      context_->createUnboundBuffer(&sent_notice_, sizeof(sent_notice_));
  notices_in_ = context_->createUnboundBuffer(&received_notice_,
                                              sizeof(received_notice_));
  if (size() > 1) {
    watcher_ = std::make_unique<ThreadGroup>(
        "MakeGlooGroup", 1, [this](int) { WatchForNotices(); },
        [this] {
          {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
          }
          notices_in_->abortWaitRecv();
        });
  }
  watch_ = control.OnFailure([this](const Error& error) {
    if (Claim()) SetReason(error, /*of_a_rank=*/false);
  });
}

GlooMesh::~GlooMesh() {
  watch_.reset();
  std::unique_lock lock(mutex_);
  const auto told = told_;
  lock.unlock();
  if (told) std::this_thread::sleep_until(*told + kReadLimit);
}

std::unique_ptr<Transfer> GlooMesh::Send(int to, int channel, const void* data,
                                         size_t bytes) {
  const SigpipeGuard guard;
  try {
    auto buffer = context_->createUnboundBuffer(const_cast<void*>(data), bytes);
    buffer->send(to, channel);
    return std::make_unique<GlooTransfer>(*this, GlooTransfer::Kind::kSend, to,
                                          std::move(buffer));
  } catch (const gloo::Exception& error) {
    Fail(to, error.what());
  }
}

std::unique_ptr<Transfer> GlooMesh::Receive(int from, int channel, void* data,
                                            size_t capacity) {
  const SigpipeGuard guard;  // a receive tells the sender
  try {
    auto buffer = context_->createUnboundBuffer(data, capacity);
    buffer->recv(from, channel);
    return std::make_unique<GlooTransfer>(*this, GlooTransfer::Kind::kReceive,
                                          from, std::move(buffer));
  } catch (const gloo::Exception& error) {
    Fail(from, error.what());
  }
}

void GlooMesh::BeginWait(Waiter& waiter, int peer, Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (reason_) Throw(*reason_);
    waiter_ = &waiter;
  }
  alarm_.Set(deadline, peer);
}

void GlooMesh::EndWait() {
  alarm_.Clear();
  const std::lock_guard lock(mutex_);
  waiter_ = nullptr;
}

bool GlooMesh::Claim() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(claimed_, true);
}

void GlooMesh::SetReason(const Error& why, bool of_a_rank) {
  const std::lock_guard lock(mutex_);
  reason_ = {.error = why, .of_a_rank = of_a_rank};
  if (waiter_ != nullptr) waiter_->Wake();
  given_up_.notify_all();
}

// The others are told while what waits here still waits: so that the messages
// before theirs have their memory, and go out.
void GlooMesh::GiveUp(const Error& why) {
  if (!Claim()) return;
  Tell(why);
  SetReason(why, /*of_a_rank=*/true);
}

void GlooMesh::Tell(const Error& why) {
  if (size() == 1) return;
  const SigpipeGuard guard;
  const std::string text = why.what();
  sent_notice_.code = why.code();
  std::memcpy(sent_notice_.text.data(), text.data(),
              std::min(text.size(), sent_notice_.text.size() - 1));
  {
    const std::lock_guard lock(mutex_);
    sent_notice_.done = done_;
  }
  int told = 0;
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    try {
      notices_out_->send(other, kNoticeSlot);
      ++told;
    } catch (const gloo::Exception& error) {
      LogInfo("worker {} cannot be told: {}", other, error.what());
    }
  }
  try {
    for (; told > 0; --told) notices_out_->waitSend(kTellLimit);
  } catch (const gloo::Exception& error) {
    LogInfo("a worker was not told: {}", error.what());
  }
  const std::lock_guard lock(mutex_);
  told_ = std::chrono::steady_clock::now();
}

void GlooMesh::WatchForNotices() {
  const SigpipeGuard guard;
  std::vector<int> others;
  for (int other = 0; other < size(); ++other) {
    if (other != rank()) others.push_back(other);
  }
  try {
    while (true) {
      notices_in_->recv(others, kNoticeSlot);
      while (!notices_in_->waitRecv(kNoLimit)) {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
      }
      Heed(received_notice_);
    }
  } catch (const gloo::Exception&) {
    return;  // the connections have ended
  }
}

// One that has done the collective which this rank is in has sent it all that
// it needs to do it too.
void GlooMesh::Heed(const Notice& notice) {
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

void GlooMesh::CollectiveDone() {
  std::optional<Notice> due;
  {
    const std::lock_guard lock(mutex_);
    ++done_;
    due = std::exchange(early_, std::nullopt);
  }
  if (due) Heed(*due);
}

void GlooMesh::Throw(const Reason& reason) {
  const bool consequence =
      reason.of_a_rank && reason.error.code() == Code::kCancelled;
  if (consequence) throw PeerFailure();
  throw Error(reason.error);
}

void GlooMesh::Check() const {
  {
    const std::lock_guard lock(mutex_);
    if (reason_) Throw(*reason_);
  }
  control_.Check();  // its watch may be told a moment later
}

void GlooMesh::Fail(int peer, const std::string& text) {
  {
    std::unique_lock lock(mutex_);
    given_up_.wait_for(lock, kLearnLimit,
                       [this] { return reason_.has_value(); });
  }
  GiveUp(Unavailable("[Collective] worker {} is gone: {}", peer, text));
  std::unique_lock lock(mutex_);
  given_up_.wait(lock, [this] { return reason_.has_value(); });
  Throw(*reason_);
}

}  // namespace lockstep::collectives_internal
