// For tests: all all-reduce algorithms, and ranks on threads.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_COLLECTIVES_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_COLLECTIVES_TESTING_H_

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
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

// For tests that every algorithm must pass.
inline std::vector<CrossDeviceOpsPtr> AllAlgorithms() {
  return {std::make_shared<SharedMemoryAllReduce>(),
          std::make_shared<ReductionToOneDevice>(),
          std::make_shared<HierarchicalCopyAllReduce>()};
}

// How a group is notified that a rank is done, as a strategy does it.
struct RankEnds {
  std::function<void(int rank)> leave;  // its body returned
  std::function<void(int rank)> fail;   // it threw
  std::function<void()> reset;          // no rank is inside: as if new
  // Fills in the errors of ranks in other processes, if there are any.
  std::function<void(std::vector<std::exception_ptr>& errors)> share = {};
};

inline RankEnds EndsOf(Rendezvous& rendezvous) {
  return {.leave = [&](int) { rendezvous.Leave(); },
          .fail = [&](int) { rendezvous.Abort(); },
          .reset = [&] { rendezvous.Reset(); }};
}

// Runs body(rank) on one thread for each rank of this process, as a strategy
// does. Returns each rank's error, empty if there is none.
inline std::vector<std::exception_ptr> RunRanks(
    int ranks, const std::vector<int>& here, const RankEnds& ends,
    const std::function<void(int rank)>& body) {
  std::vector<std::exception_ptr> errors(ranks);
  std::vector<std::thread> threads;
  for (const int rank : here) {
    threads.emplace_back([&, rank] {
      try {
        body(rank);
        ends.leave(rank);
      } catch (...) {
        errors[rank] = std::current_exception();
        ends.fail(rank);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (ends.share) ends.share(errors);
  ends.reset();
  return errors;
}

// The same with all ranks in this process.
inline std::vector<std::exception_ptr> RunRanks(
    int ranks, const RankEnds& ends,
    const std::function<void(int rank)>& body) {
  std::vector<int> here(ranks);
  std::iota(here.begin(), here.end(), 0);
  return RunRanks(ranks, here, ends, body);
}

// Throws the lowest rank's error, if any; a PeerFailure only if there is no
// other.
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

// Ranks and their groups. The group of a rank in another process is nullptr;
// all processes make the same calls.
//
//   Ranks ranks(2);
//   ranks.Run([&](Group& group) {   // on a thread each; throws what one threw
//     group.AllReduce(ReduceOp::kSum, {x}, {}).Wait();
//   });
class Ranks {
 public:
  explicit Ranks(int size, CrossDeviceOpsPtr ops =
                               std::make_shared<SharedMemoryAllReduce>())
      : Ranks(std::make_shared<Rendezvous>(size), std::move(ops)) {}
  Ranks(const std::shared_ptr<Rendezvous>& rendezvous, CrossDeviceOpsPtr ops)
      : Ranks(rendezvous, GroupsOf(rendezvous, std::move(ops))) {}
  Ranks(const std::shared_ptr<Rendezvous>& rendezvous,
        std::vector<std::unique_ptr<Group>> groups)
      : Ranks(std::move(groups), EndsOf(*rendezvous), rendezvous) {}
  // Keeps `keeps`, which the groups and the ends use, alive. All processes
  // share `counter`.
  Ranks(std::vector<std::unique_ptr<Group>> groups, RankEnds ends,
        std::shared_ptr<void> keeps,
        std::shared_ptr<std::atomic<int>> counter =
            std::make_shared<std::atomic<int>>(0))
      : keeps_(std::move(keeps)),
        groups_(std::move(groups)),
        ends_(std::move(ends)),
        counter_(std::move(counter)) {}

  int size() const { return static_cast<int>(groups_.size()); }
  // REQUIRES: the rank is in this process.
  Group& operator[](int rank) { return *groups_[rank]; }
  std::vector<int> here() const {
    std::vector<int> ranks;
    for (int rank = 0; rank < size(); ++rank) {
      if (groups_[rank]) ranks.push_back(rank);
    }
    return ranks;
  }
  // For the test; starts at 0.
  std::atomic<int>& counter() { return *counter_; }

  // Returns each rank's error.
  std::vector<std::exception_ptr> Errors(
      const std::function<void(Group&)>& body) {
    return RunRanks(size(), here(), ends_,
                    [&](int rank) { body(*groups_[rank]); });
  }
  void Run(const std::function<void(Group&)>& body) {
    RethrowAny(Errors(body));
  }

 private:
  static std::vector<std::unique_ptr<Group>> GroupsOf(
      const std::shared_ptr<Rendezvous>& rendezvous,
      const CrossDeviceOpsPtr& ops) {
    std::vector<std::unique_ptr<Group>> groups;
    for (int rank = 0; rank < rendezvous->ranks(); ++rank) {
      groups.push_back(std::make_unique<InProcessGroup>(rendezvous, rank, ops));
    }
    return groups;
  }

  std::shared_ptr<void> keeps_;
  std::vector<std::unique_ptr<Group>> groups_;
  RankEnds ends_;
  std::shared_ptr<std::atomic<int>> counter_;
};

// Returns each rank's result. Rank r brings lists[r] and uses the device that
// has it.
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

// The same with an algorithm.
inline std::vector<TensorList> AllReduceTogether(
    const CrossDeviceOpsPtr& ops, ReduceOp op,
    const std::vector<TensorList>& lists) {
  return AllReduceTogether(Ranks(static_cast<int>(lists.size()), ops), op,
                           lists);
}

// The code of an error; throws std::logic_error if there is none.
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
