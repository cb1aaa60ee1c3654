// For tests: every all-reduce algorithm there is, and ranks on threads.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_COLLECTIVES_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_COLLECTIVES_TESTING_H_

#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "reference/collectives/communicator.h"
#include "reference/collectives/cross_device_ops.h"

namespace lockstep {

// For tests that hold for each.
inline std::vector<std::unique_ptr<CrossDeviceOps>> AllAlgorithms() {
  std::vector<std::unique_ptr<CrossDeviceOps>> all;
  all.push_back(std::make_unique<SharedMemoryAllReduce>());
  all.push_back(std::make_unique<ReductionToOneDevice>());
  all.push_back(std::make_unique<HierarchicalCopyAllReduce>());
  return all;
}

// Runs body(rank) on one thread a rank, as a strategy does. Gives each rank's
// error, empty where there was none. A rank that fails aborts the communicator,
// one that returns leaves it; afterwards it is reset.
inline std::vector<std::exception_ptr> RunRanks(
    Communicator& communicator, const std::function<void(int rank)>& body) {
  std::vector<std::exception_ptr> errors(communicator.ranks());
  std::vector<std::thread> threads;
  for (int rank = 0; rank < communicator.ranks(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(rank);
        communicator.Leave();
      } catch (...) {
        errors[rank] = std::current_exception();
        communicator.Abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  communicator.Reset();
  return errors;
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
