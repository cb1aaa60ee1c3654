// The queues of a device that computes by itself, and the order between them.
//
// What one queue is given runs in the order in which it was given, beside what
// the others were given:
//
//   auto ready = queues.Record(DeviceQueue::kCompute);
//   queues.WaitFor(DeviceQueue::kCommunication, *ready);   // a fork
//   ... an all-reduce in kCommunication, kernels in kCompute ...
//   Follow(queues, DeviceQueue::kCompute, DeviceQueue::kCommunication);  // joined
//
// Memory of the device's pool belongs to kCompute, which may get a freed block
// again at once (memory_pool.h). So another queue begins to use a block behind a
// mark of kCompute, and the block is freed when kCompute waits for that queue.
//
// While kCompute is captured into a graph, a queue that waits for it is captured
// too, and is joined to it before the capture ends.
#ifndef LOCKSTEP_REFERENCE_DEVICE_DEVICE_QUEUES_H_
#define LOCKSTEP_REFERENCE_DEVICE_DEVICE_QUEUES_H_

#include <cstddef>
#include <memory>

namespace lockstep {

enum class DeviceQueue {
  kCompute,        // all that nobody gave to another one
  kCommunication,  // all-reduces beside a backward pass
  kCopy,           // input from the host, beside a step
};

// Thread-safe. Errors of all: Internal, when the device fails; it may be the
// failure of something queued earlier. The host waits in none of them, but for
// CopyFromHost.
class DeviceQueues {
 public:
  // A place in a queue: behind all that it was given by then.
  class Mark {
   public:
    virtual ~Mark() = default;
  };

  virtual ~DeviceQueues() = default;

  virtual std::unique_ptr<Mark> Record(DeviceQueue queue) = 0;
  // What `queue` is given from now on runs when the mark is reached; the mark
  // may go away meanwhile. REQUIRES: a mark of a device of the same kind.
  virtual void WaitFor(DeviceQueue queue, const Mark& mark) = 0;
  // Gives kCopy a copy from the host; `from` may change as soon as this returns.
  // The host may wait for copies that were given earlier.
  // Errors: ResourceExhausted for a lack of pinned memory.
  virtual void CopyFromHost(void* to, const void* from, size_t bytes) = 0;
};

// What `later` is given from now on runs behind what `earlier` was given by now.
inline void Follow(DeviceQueues& queues, DeviceQueue later,
                   DeviceQueue earlier) {
  queues.WaitFor(later, *queues.Record(earlier));
}

// The same between the `queue`s of two devices of a kind.
inline void Follow(DeviceQueues& later, DeviceQueues& earlier,
                   DeviceQueue queue) {
  later.WaitFor(queue, *earlier.Record(queue));
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_QUEUES_H_
