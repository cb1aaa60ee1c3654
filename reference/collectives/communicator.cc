#include "reference/collectives/communicator.h"

#include <exception>
#include <string_view>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/base/trace.h"

namespace lockstep {

Rendezvous::Rendezvous(int ranks) : ranks_(ranks), spins_(SpinsFor(ranks)) {
  if (ranks < 1) {
    throw InvalidArgument("[Rendezvous] ranks must be at least 1, got {}",
                          ranks);
  }
}

void Rendezvous::Arrive() {
  const uint32_t seen = state_.load();
  if (seen & kStopped) Fail();
  if (arrived_.fetch_add(1) + 1 == ranks_) {
    arrived_.store(0);
    state_.fetch_add(kGeneration);
    state_.notify_all();
    return;
  }
  // Leave() counts itself and then looks for arrivals, this the other way
  // round: one of the two sees the other.
  if (left_.load() > 0) Stop(kPeerLeft);
  const uint32_t now = WaitForChange(state_, seen, spins_);
  if (now / kGeneration == seen / kGeneration) Fail();
}

void Rendezvous::Abort() { Stop(kPeerFailed); }

void Rendezvous::Leave() {
  left_.fetch_add(1);
  if (arrived_.load() > 0) Stop(kPeerLeft);
}

void Rendezvous::Reset() {
  arrived_.store(0);
  left_.store(0);
  reason_.store(kNone);
  state_.fetch_and(~kStopped);
}

void Rendezvous::Stop(Reason reason) {
  int none = kNone;
  reason_.compare_exchange_strong(none, reason);
  state_.fetch_or(kStopped);
  state_.notify_all();
}

void Rendezvous::Fail() const {
  if (reason_.load() == kPeerLeft) {
    throw FailedPrecondition(
        "[Collective] replicas disagree: some of {} returned while others "
        "wait for them in a collective, a merge call or a variable update",
        ranks_);
  }
  throw PeerFailure();
}

using collectives_internal::CheckSameSpecs;
using collectives_internal::EmptyLike;
using collectives_internal::PrepareForReduce;
using collectives_internal::Reachable;

namespace {

constexpr char kMerge[] = "MergeCall";

int64_t TotalBytes(const std::vector<Tensor>& tensors) {
  int64_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    bytes += static_cast<int64_t>(tensor.bytes());
  }
  return bytes;
}

}  // namespace

Communicator::Communicator(int ranks) : rendezvous_(ranks), slots_(ranks) {}

void Communicator::Reset() {
  rendezvous_.Reset();
  for (Slot& slot : slots_) slot.meetings = 0;
}

void Communicator::Meet(int rank, const Call& call,
                        const std::function<void(const Calls&)>& body) {
  const uint32_t bank = slots_[rank].meetings++ % 2;
  Call& mine = slots_[rank].calls[bank];
  mine = call;
  Calls calls;
  for (Slot& slot : slots_) calls.push_back(&slot.calls[bank]);
  rendezvous_.Arrive();
  // From here on all ranks are inside and none can leave, so neither Arrive nor
  // another rank's memory can fail; an error of our own waits until the end.
  std::exception_ptr error;
  try {
    CheckSameOperation(calls);
    body(calls);
  } catch (const std::exception& caught) {
    error = std::current_exception();
    const auto* typed = dynamic_cast<const Error*>(&caught);
    mine.failed = true;
    mine.code = typed ? typed->code() : Code::kInternal;
    mine.message = caught.what();
  } catch (...) {
    error = std::current_exception();
    mine.failed = true;
    mine.message = "[Collective] an exception of no known type";
  }
  rendezvous_.Arrive();
  if (error) std::rethrow_exception(error);
  ThrowOthersFailure(calls);
}

void Communicator::ThrowOthersFailure(const Calls& calls) {
  for (const Call* call : calls) {
    if (!call->failed) continue;
    if (call->operation == kMerge) throw Error(call->code, call->message);
    throw PeerFailure();
  }
}

void Communicator::CheckSameOperation(const Calls& calls) const {
  for (size_t rank = 1; rank < calls.size(); ++rank) {
    const Call& call = *calls[rank];
    if (std::string_view(call.operation) == calls[0]->operation &&
        call.parameter == calls[0]->parameter) {
      continue;
    }
    throw FailedPrecondition(
        "[Collective] replicas disagree: replica 0 calls {}({}), replica {} "
        "calls {}({})",
        calls[0]->operation, calls[0]->parameter, rank, call.operation,
        call.parameter);
  }
}

void Communicator::RunReduction(int rank, const CrossDeviceOps& ops,
                                ReduceOp op, DeviceQueue queue,
                                const Calls& calls) {
  std::vector<const std::vector<Tensor>*> inputs;
  std::vector<std::vector<Tensor>*> outputs;
  for (const Call* call : calls) {
    CheckSameSpecs(*calls[0]->values, *call->values,
                   static_cast<int>(inputs.size()));
    inputs.push_back(call->values);
    outputs.push_back(call->results);
  }
  const Reduction reduction(op, std::move(inputs), std::move(outputs), queue);
  std::exception_ptr error;
  const int steps = ops.steps(ranks());
  for (int step = 0; step < steps; ++step) {
    if (step > 0) rendezvous_.Arrive();
    try {
      if (!error) ops.RunStep(step, rank, reduction);
    } catch (...) {
      error = std::current_exception();  // the others count on every Arrive
    }
  }
  if (error) std::rethrow_exception(error);
}

std::vector<Tensor> Communicator::AllReduce(int rank, const CrossDeviceOps& ops,
                                            ReduceOp op,
                                            const std::vector<Tensor>& values) {
  const TraceSpan span("AllReduce", "communication");
  if (span.wanted()) span.set_bytes(TotalBytes(values));
  Device& device = Device::Current();
  const std::vector<Tensor> inputs =
      PrepareForReduce(op, Reachable(values, device));
  if (ranks() == 1) return inputs;
  std::vector<Tensor> results = EmptyLike(inputs, device);
  ReduceTogether(rank, ops, op, inputs, results, DeviceQueue::kCompute);
  return results;
}

void Communicator::AllReduceInto(int rank, const CrossDeviceOps& ops,
                                 ReduceOp op, const std::vector<Tensor>& inputs,
                                 std::vector<Tensor>& results,
                                 DeviceQueue queue) {
  const TraceSpan span("AllReduce", "communication");
  if (span.wanted()) span.set_bytes(TotalBytes(inputs));
  ReduceTogether(rank, ops, op, inputs, results, queue);
}

void Communicator::ReduceTogether(int rank, const CrossDeviceOps& ops,
                                  ReduceOp op,
                                  const std::vector<Tensor>& inputs,
                                  std::vector<Tensor>& results,
                                  DeviceQueue queue) {
  const Call call = {.operation = "AllReduce",
                     .parameter = static_cast<int>(op),
                     .values = &inputs,
                     .results = &results};
  DeviceMemory* memory = Device::Current().memory();
  if (memory != nullptr && queue != DeviceQueue::kCompute) {
    Follow(memory->queues(), queue, DeviceQueue::kCompute);
  }
  Meet(rank, call,
       [&](const Calls& calls) { RunReduction(rank, ops, op, queue, calls); });
}

// All ranks find the same, and get the error together.
void Communicator::CheckRoot(const char* operation, int root) const {
  if (root >= 0 && root < ranks()) return;
  throw InvalidArgument("[{}] root must be a rank, 0 to {}, got {}", operation,
                        ranks() - 1, root);
}

Tensor Communicator::Reduce(int rank, ReduceOp op, const Tensor& value,
                            int root) {
  const std::vector<Tensor> values = {value};
  Tensor result;
  const Call call = {
      .operation = "Reduce", .parameter = root, .values = &values};
  Meet(rank, call, [&](const Calls& calls) {
    CheckRoot("Reduce", root);
    if (rank != root) return;
    std::vector<Tensor> all;
    for (const Call* other : calls) all.push_back((*other->values)[0]);
    result = ReduceTo(Device::Current(), op, all);
  });
  return result;
}

Tensor Communicator::Broadcast(int rank, const Tensor& value, int root) {
  const std::vector<Tensor> values = {value};
  Tensor result = value;
  const Call call = {
      .operation = "Broadcast", .parameter = root, .values = &values};
  Meet(rank, call, [&](const Calls& calls) {
    CheckRoot("Broadcast", root);
    if (rank != root) {
      result = (*calls[root]->values)[0].Clone(Device::Current());
    }
  });
  return result;
}

std::vector<std::vector<Tensor>> Communicator::AllGather(
    int rank, const std::vector<Tensor>& values) {
  std::vector<std::vector<Tensor>> all;
  Meet(rank, {.operation = "AllGather", .values = &values},
       [&](const Calls& calls) {
         for (const Call* call : calls) all.push_back(*call->values);
       });
  return all;
}

void Communicator::Merge(int rank, const void* argument,
                         const MergeFunction& function) {
  Meet(rank, {.operation = kMerge, .argument = argument},
       [&](const Calls& calls) {
         if (rank != 0) return;
         std::vector<const void*> arguments;
         for (const Call* call : calls) arguments.push_back(call->argument);
         function(arguments);
       });
}

}  // namespace lockstep
