// How it works. The group is a MeshGroup over a mesh of Gloo's unbound buffers.
//
// Gloo wakes a thread that waits for a message when it has come, when its
// sender's connection has ended, or on abortWait. A rank that gives up first
// sends the others a notice, for which each has a thread waiting, and then
// wakes its own waits; its connections end with the mesh. A time limit of
// Gloo's would end them at once, as if this rank had died, so an Alarm keeps
// the deadlines.
#include "reference/collectives/gloo/gloo_group.h"

#include <gloo/common/error.h>
#include <gloo/transport/unbound_buffer.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/base/signals/held_signals.h"
#include "reference/base/threads.h"
#include "reference/collectives/gloo/alarm.h"
#include "reference/collectives/gloo/gloo_connection.h"
#include "reference/collectives/mesh/mesh_group.h"
#include "reference/collectives/mesh/notifying_mesh.h"

namespace lockstep {
namespace collectives_internal {
namespace {

using std::chrono::milliseconds;

// Slots beyond the channels.
constexpr uint64_t kNoticeSlot = 16;

// The Alarm keeps deadlines: a limit of Gloo's ends the connections before the
// other ranks can be notified.
constexpr milliseconds kNoLimit = std::chrono::hours(24 * 365);
// How long a rank that gives up tries to notify the others.
constexpr milliseconds kNotifyLimit(200);
// How long the others get to read the notice, before the end of the connection
// fails their writes.
constexpr milliseconds kReadLimit(20);

class GlooMesh final : public NotifyingMesh {
 public:
  // REQUIRES: the control plane outlives it.
  GlooMesh(GlooContexts contexts, ControlPlane& control);
  ~GlooMesh() override;

  int rank() const override { return contexts_.rank(); }
  int size() const override { return contexts_.size(); }
  std::string_view algorithm() const override { return "GlooAllReduce"; }
  std::unique_ptr<Transfer> Send(int to, int channel,
                                 std::shared_ptr<const std::byte> data,
                                 size_t bytes) override;
  std::unique_ptr<Transfer> Receive(int from, int channel,
                                    std::shared_ptr<std::byte> memory,
                                    size_t capacity) override;

  // For transfers. At most one wait at a time.
  void BeginWait(MeshFailure::Waiter& waiter, int peer, Deadline deadline);
  void EndWait();
  // Gloo has reported an error in a transfer with `peer`.
  [[noreturn]] void Fail(int peer, const std::string& text);

 private:
  void Notify(const Notice& notice) override;
  void WatchForNotices();

  const GlooContexts contexts_;
  mutable std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> notified_at_;
  Notice sent_notice_;
  Notice received_notice_;
  std::unique_ptr<gloo::transport::UnboundBuffer> notices_out_;
  std::unique_ptr<gloo::transport::UnboundBuffer> notices_in_;
  bool stopping_ = false;
  Alarm alarm_;
  std::unique_ptr<ThreadGroup> watcher_;  // first to end
};

class GlooTransfer final : public Transfer, private MeshFailure::Waiter {
 public:
  enum class Kind { kSend, kReceive };

  GlooTransfer(GlooMesh& mesh, Kind kind, int peer,
               std::shared_ptr<const std::byte> memory,
               std::unique_ptr<gloo::transport::UnboundBuffer> buffer)
      : mesh_(mesh),
        kind_(kind),
        peer_(peer),
        memory_(std::move(memory)),
        buffer_(std::move(buffer)) {}

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

  bool WaitUpTo(milliseconds limit) override {
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
  const std::shared_ptr<const std::byte> memory_;
  // Destroyed before memory_: then nothing reads or writes it any more.
  const std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  bool woken_ = false;
};

GlooMesh::GlooMesh(GlooContexts contexts, ControlPlane& control)
    : NotifyingMesh(control),
      contexts_(std::move(contexts)),
      alarm_([this](int rank) {
        GiveUp(DeadlineExceeded(
            "[Collective] worker {} did not come to a collective, or stopped "
            "in it, before the deadline of worker {}",
            rank, this->rank()));
      }) {
  // One buffer receives from all other ranks, so notices use one connection for
  // both directions.
  gloo::Context& way = *contexts_.upward;
  notices_out_ = way.createUnboundBuffer(&sent_notice_, sizeof(sent_notice_));
  notices_in_ =
      way.createUnboundBuffer(&received_notice_, sizeof(received_notice_));
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
}

GlooMesh::~GlooMesh() {
  std::unique_lock lock(mutex_);
  const auto notified_at = notified_at_;
  lock.unlock();
  if (notified_at) std::this_thread::sleep_until(*notified_at + kReadLimit);
}

std::unique_ptr<Transfer> GlooMesh::Send(int to, int channel,
                                         std::shared_ptr<const std::byte> data,
                                         size_t bytes) {
  const HeldSignals held({SIGPIPE});
  try {
    auto buffer =
        contexts_.Between(rank(), to)
            .createUnboundBuffer(const_cast<std::byte*>(data.get()), bytes);
    buffer->send(to, channel);
    return std::make_unique<GlooTransfer>(*this, GlooTransfer::Kind::kSend, to,
                                          std::move(data), std::move(buffer));
  } catch (const gloo::Exception& error) {
    Fail(to, error.what());
  }
}

std::unique_ptr<Transfer> GlooMesh::Receive(int from, int channel,
                                            std::shared_ptr<std::byte> memory,
                                            size_t capacity) {
  const HeldSignals held({SIGPIPE});  // a receive notifies the sender
  try {
    auto buffer = contexts_.Between(from, rank())
                      .createUnboundBuffer(memory.get(), capacity);
    buffer->recv(from, channel);
    return std::make_unique<GlooTransfer>(*this, GlooTransfer::Kind::kReceive,
                                          from, std::move(memory),
                                          std::move(buffer));
  } catch (const gloo::Exception& error) {
    Fail(from, error.what());
  }
}

void GlooMesh::BeginWait(MeshFailure::Waiter& waiter, int peer,
                         Deadline deadline) {
  failure().BeginWait(waiter);
  alarm_.Set(deadline, peer);
}

void GlooMesh::EndWait() {
  alarm_.Clear();
  failure().EndWait();
}

void GlooMesh::Notify(const Notice& notice) {
  if (size() == 1) return;
  const HeldSignals held({SIGPIPE});
  sent_notice_ = notice;
  int num_sent = 0;
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    try {
      notices_out_->send(other, kNoticeSlot);
      ++num_sent;
    } catch (const gloo::Exception& error) {
      LogInfo("worker {} cannot be notified of the failure: {}", other,
              error.what());
    }
  }
  try {
    for (; num_sent > 0; --num_sent) notices_out_->waitSend(kNotifyLimit);
  } catch (const gloo::Exception& error) {
    LogInfo("a worker was not notified of the failure: {}", error.what());
  }
  const std::lock_guard lock(mutex_);
  notified_at_ = std::chrono::steady_clock::now();
}

void GlooMesh::WatchForNotices() {
  const HeldSignals held({SIGPIPE});
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
      failure().OnPeerNotice(received_notice_);
    }
  } catch (const gloo::Exception&) {
    return;  // the connections have ended
  }
}

void GlooMesh::Fail(int peer, const std::string& text) {
  FailWith(Unavailable("[Collective] worker {} is gone: {}", peer, text));
}

}  // namespace
}  // namespace collectives_internal

std::unique_ptr<Group> MakeGlooGroup(
    ControlPlane& control, const GlooOptions& options,
    std::shared_ptr<collectives_internal::GpuSums> gpu_sums) {
  using namespace collectives_internal;  // NOLINT
  return std::make_unique<MeshGroup>(
      std::make_unique<GlooMesh>(ConnectGloo(control, options), control),
      MeshGroupOptions{.stall_limit = options.stall_limit,
                       .leave_limit = options.leave_limit,
                       .gpu_sums = std::move(gpu_sums)});
}

}  // namespace lockstep
