// Memory of a GPU that input is copied into while the GPU computes.
//
//   auto ring = std::make_shared<CopyRing>(gpu);
//   BufferPtr batch = ring->Copy(from, bytes);    // in the copy queue
//   const auto copied = ring->Mark();
//   ...
//   ring->Deliver(*copied);                       // batch may be used from here on
//
// Blocks go round. One is taken by Copy, used in the compute queue after its
// delivery, and comes back when the buffer's last holder lets go of it: the
// compute queue is marked there, and the next copy into the block waits for that
// mark, on the GPU. So a copy waits for what used its block before and for
// nothing that was computed later, as one into a block of the device's pool
// would. Blocks are never the pool's; they are given back with the ring.
//
// While the compute queue is captured into a graph it gets no marks: a block that
// a capturing thread lets go of, and the graph may read again, stays away for
// good; one that another thread does comes back after the capture.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_COPY_RING_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_COPY_RING_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "reference/device/buffer.h"
#include "reference/device/device.h"
#include "reference/device/device_queues.h"
#include "reference/device/memory_pool.h"

namespace lockstep::distribute_internal {

// Thread-safe; its buffers keep it alive. Errors of all: Internal, when the
// device fails.
class CopyRing : public std::enable_shared_from_this<CopyRing> {
 public:
  // REQUIRES: made as a shared_ptr; `device` has memory of its own, and outlives
  // the ring.
  explicit CopyRing(Device& device);
  // What was copied and not delivered ends before its block is given back.
  ~CopyRing();
  CopyRing(const CopyRing&) = delete;
  CopyRing& operator=(const CopyRing&) = delete;

  // A copy of the host's `bytes` at `from`, which may change at once. The host
  // may wait for earlier copies. Errors: ResourceExhausted.
  BufferPtr Copy(const void* from, size_t bytes);
  // Behind the copies made so far.
  std::unique_ptr<DeviceQueues::Mark> Mark();
  // What is computed from now on may use what was copied before the mark.
  void Deliver(const DeviceQueues::Mark& mark);

 private:
  struct Block {
    void* data = nullptr;
    size_t bytes = 0;
    std::unique_ptr<DeviceQueues::Mark> used;  // nullptr: not computed with
  };
  // What a buffer holds.
  struct Loan {
    std::shared_ptr<CopyRing> ring;
    Block block;
  };
  static void EndLoan(void* loan) noexcept;

  Block Take(size_t bytes);
  Block TakeNew(size_t bytes);
  void TakeBack(Block block);

  Device& device_;
  DeviceQueues& queues_;
  std::mutex mutex_;
  MemoryPool pool_;
  std::deque<Block> free_;      // the one that came back first in front
  std::deque<Block> unmarked_;  // came back during a capture
};

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_COPY_RING_H_
