#include "reference/collectives/rendezvous.h"

#include <exception>
#include <string_view>

namespace lockstep {
namespace {

constexpr char kMerge[] = "MergeCall";

}  // namespace

void Rendezvous::Reset() {
  barrier_.Reset();
  ++resets_;
  for (Slot& slot : slots_) slot.times = 0;
}

Rendezvous::Calls Rendezvous::Enter(int rank, const Call& call,
                                    Deadline deadline) {
  const uint32_t turn = slots_[rank].times++ % 2;
  slots_[rank].calls[turn] = call;
  Calls calls;
  for (Slot& slot : slots_) calls.push_back(&slot.calls[turn]);
  barrier_.Arrive(deadline);
  try {
    CheckSameOperation(calls);
  } catch (const Error&) {
    barrier_.Pass();  // all ranks throw, once none reads the calls any more
    throw;
  }
  return calls;
}

void Rendezvous::Exit(const Calls& calls) {
  barrier_.Pass();
  ThrowOthersFailure(calls);
}

void Rendezvous::Meet(int rank, const Call& call, Deadline deadline,
                      const std::function<void(const Calls&)>& body) {
  const Calls calls = Enter(rank, call, deadline);
  // No rank can leave before all do, so every rank's memory stays valid. An
  // error is thrown at the end.
  Call& mine = *calls[rank];
  std::exception_ptr error;
  try {
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
    mine.message = "[Collective] an exception of unknown type";
  }
  if (error) {
    barrier_.Pass();
    std::rethrow_exception(error);
  }
  Exit(calls);
}

void Rendezvous::ThrowOthersFailure(const Calls& calls) {
  for (const Call* call : calls) {
    if (!call->failed) continue;
    if (call->operation == kMerge) throw Error(call->code, call->message);
    throw PeerFailure();
  }
}

void Rendezvous::CheckSameOperation(const Calls& calls) const {
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

void Rendezvous::Merge(int rank, const void* argument,
                       const MergeFunction& function) {
  Meet(rank, {.operation = kMerge, .argument = argument}, kNoDeadline,
       [&](const Calls& calls) {
         if (rank != 0) return;
         std::vector<const void*> arguments;
         for (const Call* call : calls) arguments.push_back(call->argument);
         function(arguments);
       });
}

}  // namespace lockstep
