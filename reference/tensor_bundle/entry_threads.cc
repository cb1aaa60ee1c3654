#include "reference/tensor_bundle/entry_threads.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "reference/base/threads.h"

namespace lockstep::tensor_bundle_internal {
namespace {

// The work is copying and checksums. A thread pays off from this size on, and
// memory bandwidth limits how many are useful.
constexpr int64_t kMinBytesPerThread = 8 << 20;
constexpr int64_t kMaxThreads = 4;

}  // namespace

void ForEachEntry(int64_t count, int64_t bytes,
                  const std::function<void(int64_t index)>& work) {
  const int64_t threads =
      std::min({kMaxThreads, bytes / kMinBytesPerThread, count,
                static_cast<int64_t>(std::thread::hardware_concurrency())});
  ThreadTeam team(static_cast<int>(std::max<int64_t>(threads, 1)));
  std::vector<std::exception_ptr> errors(count);
  team.ParallelFor(count, [&](int64_t begin, int64_t end, int /*member*/) {
    for (int64_t i = begin; i < end; ++i) {
      try {
        work(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace lockstep::tensor_bundle_internal
