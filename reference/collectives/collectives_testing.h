// For tests: every all-reduce algorithm there is, and ranks on threads.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_COLLECTIVES_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_COLLECTIVES_TESTING_H_

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/in_process_group.h"
#include "reference/collectives/rendezvous.h"
#include "reference/device/device.h"

namespace lockstep {

using CrossDeviceOpsPtr = std::shared_ptr<const CrossDeviceOps>;

// For tests that hold for each.
inline std::vector<CrossDeviceOpsPtr> AllAlgorithms() {
  return {std::make_shared<SharedMemoryAllReduce>(),
          std::make_shared<ReductionToOneDevice>(),
          std::make_shared<HierarchicalCopyAllReduce>()};
}

// Runs body(rank) on one thread a rank, as a strategy does. Gives each rank's
// error, empty where there was none. A rank that fails aborts the rendezvous,
// one that returns leaves it; afterwards it is reset.
inline std::vector<std::exception_ptr> RunRanks(
    Rendezvous& rendezvous, const std::function<void(int rank)>& body) {
  std::vector<std::exception_ptr> errors(rendezvous.ranks());
  std::vector<std::thread> threads;
  for (int rank = 0; rank < rendezvous.ranks(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(rank);
        rendezvous.Leave();
      } catch (...) {
        errors[rank] = std::current_exception();
        rendezvous.Abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  rendezvous.Reset();
  return errors;
}

// Throws the lowest rank's, if any; a PeerFailure where there is nothing else.
inline void RethrowAny(const std::vector<std::exception_ptr>& errors) {
  std::exception_ptr consequence;
  for (const std::exception_ptr& error : errors) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const PeerFailure&) {
      consequence = error;
    }
  }
  if (consequence) std::rethrow_exception(consequence);
}

// Ranks of this process and their groups.
//
//   Ranks ranks(2);
//   ranks.Run([&](Group& group) {   // on a thread each; throws what one threw
//     group.AllReduce(ReduceOp::kSum, {x}, {}).Wait();
//   });
class Ranks {
 public:
  explicit Ranks(int size, CrossDeviceOpsPtr ops =
                               std::make_shared<SharedMemoryAllReduce>())
      : rendezvous_(std::make_shared<Rendezvous>(size)) {
    for (int rank = 0; rank < size; ++rank) {
      groups_.push_back(
          std::make_unique<InProcessGroup>(rendezvous_, rank, ops));
    }
  }
  explicit Ranks(std::shared_ptr<Rendezvous> rendezvous,
                 std::vector<std::unique_ptr<Group>> groups)
      : rendezvous_(std::move(rendezvous)), groups_(std::move(groups)) {}

  Rendezvous& rendezvous() { return *rendezvous_; }
  Group& operator[](int rank) { return *groups_[rank]; }

  // What each rank threw.
  std::vector<std::exception_ptr> Errors(
      const std::function<void(Group&)>& body) {
    return RunRanks(*rendezvous_, [&](int rank) { body(*groups_[rank]); });
  }
  void Run(const std::function<void(Group&)>& body) {
    RethrowAny(Errors(body));
  }

 private:
  std::shared_ptr<Rendezvous> rendezvous_;
  std::vector<std::unique_ptr<Group>> groups_;
};

// What rank r gets when it brings lists[r], on the device where that lies.
inline std::vector<TensorList> AllReduceTogether(
    Ranks ranks, ReduceOp op, const std::vector<TensorList>& lists) {
  std::vector<TensorList> results(lists.size());
  ranks.Run([&](Group& group) {
    const TensorList& mine = lists[group.rank()];
    const bool somewhere = !mine.empty() && mine[0].defined();
    DeviceScope scope(somewhere ? mine[0].device() : Device::Current());
    results[group.rank()] = group.AllReduce(op, mine, {}).Wait();
  });
  return results;
}

// The same by an algorithm.
inline std::vector<TensorList> AllReduceTogether(
    const CrossDeviceOpsPtr& ops, ReduceOp op,
    const std::vector<TensorList>& lists) {
  return AllReduceTogether(Ranks(static_cast<int>(lists.size()), ops), op,
                           lists);
}

// The code of an error that must be there: throws where it is none.
inline Code CodeOf(const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const Error& caught) {
    return caught.code();
  }
  throw std::logic_error("no error where one was expected");
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_COLLECTIVES_TESTING_H_
