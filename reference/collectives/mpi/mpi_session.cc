#include "reference/collectives/mpi/mpi_session.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "reference/base/log.h"

namespace lockstep::collectives_internal {
namespace {

// How often a thread that waits for MPI checks the job.
constexpr std::chrono::milliseconds kCheckInterval(20);
// How long the process waits for MPI at its end.
constexpr std::chrono::seconds kEndLimit(5);

}  // namespace

MpiSession& MpiSession::OfProcess() {
  static auto* session = new MpiSession;
  return *session;
}

void MpiSession::Begin(Deadline deadline, const ControlPlane& control) {
  std::unique_lock lock(state_mutex_);
  if (state_ == State::kNew) {
    try {
      std::thread([this] { Live(); }).detach();
    } catch (const std::system_error& error) {
      throw ResourceExhausted("[MakeMpiGroup] no thread: {}", error.what());
    }
    state_ = State::kBeginning;
    std::atexit([] { OfProcess().EndWithProcess(); });
  }
  while (state_ == State::kBeginning) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) {
      throw DeadlineExceeded(
          "[MakeMpiGroup] MPI has not begun in time; have all processes of the "
          "launcher come?");
    }
    changed_.wait_until(lock, std::min(deadline, now + kCheckInterval));
    control.Check();
  }
  if (error_) throw Error(*error_);
}

// The thread that initializes MPI has to finalize it.
void MpiSession::Live() {
  std::optional<Error> error;
  MpiLibrary* mpi = nullptr;
  try {
    mpi = &MpiLibrary::OfMachine();
    mpi->Begin();
  } catch (const Error& caught) {
    error = caught;
  }
  std::unique_lock lock(state_mutex_);
  mpi_ = mpi;
  error_ = error;
  state_ = State::kBegun;
  changed_.notify_all();
  if (mpi == nullptr) return;
  changed_.wait(lock, [this] { return state_ == State::kEnding; });
  lock.unlock();
  try {
    const std::lock_guard calls(mutex_);
    mpi_ = nullptr;
    mpi->End();
  } catch (const Error& caught) {
    LogInfo("MPI does not end well: {}", caught.what());
  }
  lock.lock();
  state_ = State::kEnded;
  changed_.notify_all();
}

// A launcher treats a process that ends without finalizing MPI as failed.
void MpiSession::EndWithProcess() {
  std::unique_lock lock(state_mutex_);
  if (state_ != State::kBegun || mpi_ == nullptr) return;
  state_ = State::kEnding;
  changed_.notify_all();
  changed_.wait_for(lock, kEndLimit,
                    [this] { return state_ == State::kEnded; });
}

int MpiSession::free_tag() {
  const std::lock_guard lock(mutex_);
  return free_tag_;
}

void MpiSession::UseTagsBelow(int tag) {
  const std::lock_guard lock(mutex_);
  free_tag_ = std::max(free_tag_, tag);
}

MpiMessage MpiSession::Send(int to, int tag,
                            std::shared_ptr<const std::byte> data,
                            size_t bytes) {
  const std::lock_guard lock(mutex_);
  return {.request = Mpi().Send(data.get(), bytes, to, tag),
          .memory = std::move(data)};
}

MpiMessage MpiSession::Receive(int from, int tag,
                               std::shared_ptr<std::byte> memory,
                               size_t capacity) {
  const std::lock_guard lock(mutex_);
  return {.request = Mpi().Receive(memory.get(), capacity, from, tag),
          .is_receive = true,
          .memory = std::move(memory)};
}

bool MpiSession::Done(MpiMessage& message) {
  if (message.request == nullptr) return true;
  const std::lock_guard lock(mutex_);
  try {
    if (!Mpi().Done(message.request)) return false;
  } catch (const Error&) {
    message = {};
    throw;
  }
  message = {};
  return true;
}

void MpiSession::Abandon(MpiMessage message) {
  if (message.request == nullptr) return;
  const std::lock_guard lock(mutex_);
  try {
    if (message.is_receive) Mpi().Cancel(message.request);
  } catch (const Error& error) {
    LogInfo("a message cannot be cancelled: {}", error.what());
  }
  abandoned_.push_back(std::move(message));
  Sweep();
}

void MpiSession::Sweep() {
  std::erase_if(abandoned_, [this](MpiMessage& message) {
    try {
      return Mpi().Done(message.request);
    } catch (const Error&) {
      return true;
    }
  });
}

MpiLibrary& MpiSession::Mpi() {
  if (mpi_ == nullptr) throw FailedPrecondition("[Collective] MPI has ended");
  return *mpi_;
}

}  // namespace lockstep::collectives_internal
