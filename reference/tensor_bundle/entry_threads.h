// Reading and writing a checkpoint's tensors by several threads.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_ENTRY_THREADS_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_ENTRY_THREADS_H_

#include <cstdint>
#include <functional>

namespace lockstep::tensor_bundle_internal {

// Calls work(i) for all i below `count`, on one thread where the `bytes` of all
// together are few. What the first of them throws is thrown when all are done.
// Errors: ResourceExhausted when the system gives no more threads.
void ForEachEntry(int64_t count, int64_t bytes,
                  const std::function<void(int64_t index)>& work);

}  // namespace lockstep::tensor_bundle_internal

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_ENTRY_THREADS_H_
