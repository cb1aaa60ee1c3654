// Reads and writes a checkpoint's tensors on several threads.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_ENTRY_THREADS_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_ENTRY_THREADS_H_

#include <cstdint>
#include <functional>

namespace lockstep::tensor_bundle_internal {

// Calls work(i) for each i in [0, count). Uses one thread if `bytes`, the size of
// all entries together, is small. After all calls have returned, rethrows the
// exception with the lowest index.
// Errors: ResourceExhausted if the system cannot start another thread.
void ForEachEntry(int64_t count, int64_t bytes,
                  const std::function<void(int64_t index)>& work);

}  // namespace lockstep::tensor_bundle_internal

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_ENTRY_THREADS_H_
