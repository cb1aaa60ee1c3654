#include "reference/tensor_bundle/entry_threads.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "reference/base/threads.h"

namespace lockstep::tensor_bundle_internal {
namespace {

// It is copying and checksums: more than one core is faster, where there is
// enough of it.
constexpr int64_t kBytesForAThread = 8 << 20;
constexpr int64_t kMostThreads = 4;

}  // namespace

void ForEachEntry(int64_t count, int64_t bytes,
                  const std::function<void(int64_t index)>& work) {
  const int64_t threads =
      std::min({kMostThreads, bytes / kBytesForAThread, count,
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
