#include "reference/parameter_server/coordinator/worker_connection.h"

#include <chrono>
#include <utility>
#include <variant>

#include "reference/base/error.h"
#include "reference/base/log.h"

namespace lockstep::coordinator_internal {
namespace {

// How long one attempt to connect lasts: a coordinator that ends waits for it.
constexpr std::chrono::milliseconds kAttempt(1000);
// Between a refusal by the worker, or its loss, and the next attempt.
constexpr std::chrono::milliseconds kPause(100);

bool IsRefusal(const Error& error) {
  return error.code() == Code::kUnauthenticated ||
         error.code() == Code::kFailedPrecondition ||
         error.code() == Code::kInvalidArgument;
}

}  // namespace

WorkerConnection::WorkerConnection(int index, const WorkerAddress& address,
                                   const ControlPlaneOptions& options,
                                   ClosureQueue& queue,
                                   std::function<void()> finished)
    : index_(index),
      address_(address),
      options_(options),
      queue_(queue),
      finished_(std::move(finished)) {
  queue_.AddWorker(*this);
  thread_ = std::thread([this] { KeepConnected(); });
}

WorkerConnection::~WorkerConnection() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void WorkerConnection::AwaitFirst(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool known = changed_.wait_until(
      lock, deadline, [&] { return was_there_ || refusal_.has_value(); });
  if (was_there_) return;
  if (known) throw Error(*refusal_);
  throw DeadlineExceeded(
      "[ClusterCoordinator] worker {} at {}:{} did not come within {} seconds; "
      "was it started, with the same TF_CONFIG?",
      index_, address_.host, address_.port,
      std::chrono::duration<double>(options_.join_timeout).count());
}

void WorkerConnection::KeepConnected() {
  do {
    try {
      ServeOnce();
    } catch (const Error& error) {
      NoteError(error);
    }
  } while (Pause());
}

// Whether to go on.
bool WorkerConnection::Pause() {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, kPause, [&] { return stopping_; });
}

void WorkerConnection::NoteError(const Error& error) {
  if (!IsRefusal(error)) return;
  std::lock_guard lock(mutex_);
  if (was_there_ && !refusal_) {
    LogWarning("[ClusterCoordinator] worker {} is not used again: {}", index_,
               error.what());
  }
  refusal_ = error;
  changed_.notify_all();
}

std::unique_ptr<rpc::RpcClient> WorkerConnection::Connect() {
  const rpc::Peer peer{.name = fmt::format("worker {}", index_),
                       .address = address_,
                       .lost = [this](const rpc::PeerLost&) { Lose(true); }};
  return std::make_unique<rpc::RpcClient>(
      peer, rpc::Introduction{.role = "coordinator"}, options_,
      Deadline::clock::now() + kAttempt);
}

void WorkerConnection::ServeOnce() {
  {
    std::lock_guard lock(mutex_);
    lost_ = false;
  }
  client_ = Connect();
  queue_.WorkerReady(index_, client_->incarnation());
  bool by_closure = false;
  {
    std::unique_lock lock(mutex_);
    was_there_ = true;
    refusal_.reset();
    changed_.notify_all();
    changed_.wait(lock, [&] { return lost_ || stopping_; });
    by_closure = lost_ && lost_by_closure_;
  }
  queue_.WorkerLost(index_, by_closure);  // it does not use the client any more
  client_.reset();
}

void WorkerConnection::Lose(bool by_closure) {
  std::lock_guard lock(mutex_);
  if (!lost_) lost_by_closure_ = by_closure;
  lost_ = true;
  changed_.notify_all();
}

void WorkerConnection::Start(const ClosurePtr& closure, uint64_t epoch) {
  client_->Start(ToMessage(closure->number, epoch, closure->call),
                 [this, number = closure->number](rpc::Outcome outcome) {
                   Take(number, std::move(outcome));
                 });
}

void WorkerConnection::Make(const Resource& resource) {
  client_->Start(ToMessage(resource), [](const rpc::Outcome&) {});
}

void WorkerConnection::Recall(uint64_t epoch) {
  client_->Start(ToMessage(RecallRequest{epoch}), [](const rpc::Outcome&) {});
}

// What a lost worker had is put back by WorkerLost. One that reports the loss
// of a server is of no use; if the server is lost, its own connection to the
// coordinator breaks too.
void WorkerConnection::Take(uint64_t number, rpc::Outcome outcome) {
  if (!outcome.ok()) return Lose(true);
  try {
    RunReply reply = ReplyOf(outcome.Take());
    if (std::holds_alternative<ServerIsLost>(reply.result)) return Lose(false);
    if (std::holds_alternative<NotRun>(reply.result)) {
      return queue_.Returned(index_, number);
    }
    Outcome closure{.took = reply.took};
    if (auto* value = std::get_if<Structure>(&reply.result)) {
      closure.value = std::move(*value);
    } else {
      closure.error = std::get<Error>(reply.result);
    }
    queue_.Finished(index_, number, std::move(closure));
    finished_();
  } catch (const Error& error) {
    LogWarning("[ClusterCoordinator] worker {}: {}", index_, error.what());
    Lose(true);
  }
}

}  // namespace lockstep::coordinator_internal
