#include "reference/collectives/mpi/mpi_mesh.h"

#include <chrono>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/collectives/mpi/backoff.h"

namespace lockstep::collectives_internal {
namespace {

using std::chrono::milliseconds;

// The channel after those of messages.
constexpr int kNoticeChannel = 16;
static_assert(kNoticeChannel < kMpiMeshTags);

// MPI needs some hundred nanoseconds to poll a message, and the same for each
// notice.
constexpr int kLooksPerNotice = 16;
// How long a rank that gives up sends its notices: then they arrive even if the
// others do not poll.
constexpr milliseconds kNotifyLimit(5);

class MpiTransfer final : public Transfer {
 public:
  MpiTransfer(MpiMesh& mesh, int peer, MpiMessage message)
      : mesh_(mesh), peer_(peer), message_(std::move(message)) {}
  ~MpiTransfer() override { mesh_.session().Abandon(std::move(message_)); }

  void Wait(Deadline deadline) override {
    mesh_.Wait(message_, peer_, deadline);
  }
  bool WaitUpTo(milliseconds limit) override {
    return mesh_.WaitUpTo(message_, std::chrono::steady_clock::now() + limit);
  }

 private:
  MpiMesh& mesh_;
  const int peer_;
  MpiMessage message_;
};

std::shared_ptr<std::byte> BytesOf(
    const std::shared_ptr<MeshFailure::Notice>& notice) {
  return {notice, reinterpret_cast<std::byte*>(notice.get())};
}

}  // namespace

MpiMesh::MpiMesh(MpiSession& session, MpiMembers members, ControlPlane& control)
    : NotifyingMesh(control), session_(session), members_(std::move(members)) {
  for (int other = 0; other < size(); ++other) {
    if (other == rank()) continue;
    auto notice = std::make_shared<Notice>();
    MpiMessage message =
        session_.Receive(members_.ranks[other], Tag(kNoticeChannel),
                         BytesOf(notice), sizeof(Notice));
    notices_.push_back({std::move(notice), std::move(message)});
  }
}

MpiMesh::~MpiMesh() {
  for (Coming& coming : notices_) session_.Abandon(std::move(coming.message));
}

std::unique_ptr<Transfer> MpiMesh::Send(int to, int channel,
                                        std::shared_ptr<const std::byte> data,
                                        size_t bytes) {
  try {
    return std::make_unique<MpiTransfer>(
        *this, to,
        session_.Send(members_.ranks[to], Tag(channel), std::move(data),
                      bytes));
  } catch (const Error& error) {
    Fail(to, error);
  }
}

std::unique_ptr<Transfer> MpiMesh::Receive(int from, int channel,
                                           std::shared_ptr<std::byte> memory,
                                           size_t capacity) {
  try {
    return std::make_unique<MpiTransfer>(
        *this, from,
        session_.Receive(members_.ranks[from], Tag(channel), std::move(memory),
                         capacity));
  } catch (const Error& error) {
    Fail(from, error);
  }
}

void MpiMesh::Wait(MpiMessage& message, int peer, Deadline deadline) {
  Backoff backoff;
  for (int looks = 1;; ++looks) {
    if (failure().known()) failure().Rethrow();
    try {
      if (session_.Done(message)) return;
      if (looks % kLooksPerNotice == 0) ReadNotices();
    } catch (const Error& error) {
      Fail(peer, error);
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      GiveUp(DeadlineExceeded(
          "[Collective] worker {} did not come to a collective, or stopped in "
          "it, before the deadline of worker {}",
          peer, rank()));
    }
    backoff.Rest();
  }
}

bool MpiMesh::WaitUpTo(MpiMessage& message, Deadline deadline) {
  Backoff backoff;
  try {
    while (!session_.Done(message)) {
      ReadNotices();
      if (failure().known()) return false;
      if (std::chrono::steady_clock::now() >= deadline) return false;
      backoff.Rest();
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

void MpiMesh::ReadNotices() {
  for (auto& [notice, message] : notices_) {
    if (!notice || !session_.Done(message)) continue;
    failure().OnPeerNotice(*std::exchange(notice, nullptr));
  }
}

void MpiMesh::Notify(const Notice& notice) {
  const Deadline deadline = std::chrono::steady_clock::now() + kNotifyLimit;
  const auto sent = std::make_shared<Notice>(notice);
  std::vector<MpiMessage> messages;
  for (const int other : members_.ranks) {
    if (other == members_.ranks[rank()]) continue;
    try {
      messages.push_back(session_.Send(other, Tag(kNoticeChannel),
                                       BytesOf(sent), sizeof(Notice)));
    } catch (const Error& error) {
      LogInfo("a worker cannot be notified of the failure: {}", error.what());
    }
  }
  Backoff backoff;
  for (MpiMessage& message : messages) {
    try {
      while (!session_.Done(message) &&
             std::chrono::steady_clock::now() < deadline) {
        backoff.Rest();
      }
    } catch (const Error& error) {
      LogInfo("a worker was not notified of the failure: {}", error.what());
    }
    session_.Abandon(std::move(message));
  }
}

void MpiMesh::Fail(int peer, const Error& error) {
  const bool lost = error.code() == Code::kUnavailable;
  FailWith(lost ? Unavailable("[Collective] worker {} is gone: {}", peer,
                              error.what())
                : error);
}

}  // namespace lockstep::collectives_internal
