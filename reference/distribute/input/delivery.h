// Copies the parts of each step to GPUs while the previous step is computed.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DELIVERY_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DELIVERY_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "reference/data/dataset_node.h"
#include "reference/device/buffer.h"
#include "reference/device/device.h"
#include "reference/device/memory_pool.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

// Memory of a GPU into which input is copied while the GPU computes.
//
//   auto ring = std::make_shared<CopyRing>(gpu);
//   BufferPtr batch = ring->Copy(from, bytes);    // in the copy stream
//   const auto copied = ring->Record();
//   ...
//   ring->Deliver(*copied);                       // batch may be used from now on
//
// Blocks are reused in turn. Copy takes one, the compute stream uses it after
// its delivery, and it returns to the ring when the last reference to the
// buffer is dropped: the compute stream then records an event, and the next
// copy into the block waits for that event, on the GPU. So a copy waits only
// for the previous use of its block; a copy into a block of the device's pool
// would also wait for later computations. Blocks are not from the pool; they
// are freed with the ring.
//
// While the compute stream is captured into a graph, no event can be recorded.
// A block released by a capturing thread, which the graph may read again, is
// never reused; one released by another thread returns after the capture.
//
// Thread-safe; its buffers keep it alive. Errors of all functions: Internal, if
// the device fails.
class CopyRing : public std::enable_shared_from_this<CopyRing> {
 public:
  // REQUIRES: made as a shared_ptr; `device` has memory separate from the
  // host's, and outlives the ring.
  explicit CopyRing(Device& device);
  // Waits for copies that were not delivered before it frees their blocks.
  ~CopyRing();
  CopyRing(const CopyRing&) = delete;
  CopyRing& operator=(const CopyRing&) = delete;

  // Copies `bytes` from `from` on the host, which may be overwritten when Copy
  // returns. May wait for earlier copies. Errors: ResourceExhausted.
  BufferPtr Copy(const void* from, size_t bytes);
  // An event after the copies so far.
  std::unique_ptr<DeviceStreams::Event> Record();
  // Computations enqueued from now on may use what was copied before the event.
  void Deliver(const DeviceStreams::Event& event);

 private:
  struct Block {
    void* data = nullptr;
    size_t bytes = 0;
    std::unique_ptr<DeviceStreams::Event> used;  // nullptr: never used
  };
  // The block of a buffer, returned to the ring on destruction.
  struct Lease {
    std::shared_ptr<CopyRing> ring;
    Block block;
  };
  static void EndLease(void* lease) noexcept;

  Block Take(size_t bytes);
  Block TakeNew(size_t bytes);
  void TakeBack(Block block);

  Device& device_;
  DeviceStreams& streams_;
  std::mutex mutex_;
  MemoryPool pool_;
  std::deque<Block> free_;        // least recently returned first
  std::deque<Block> unrecorded_;  // returned during a capture
};

// One per replica; nullptr for devices in host memory.
using CopyEvents = std::vector<std::unique_ptr<DeviceStreams::Event>>;

// The devices that the parts of a step go to.
//
// Copies of a placement share its memory on GPUs, so all passes use the same.
class Placement {
 public:
  // REQUIRES: at least one device; they outlive the placement.
  Placement(std::vector<Device*> devices, bool fetch_to_device);

  int replicas() const { return static_cast<int>(devices_.size()); }
  Device& device(int replica) const { return *devices_[replica]; }

  // Copies the element to the replica's device, or returns it unchanged without
  // fetch_to_device. An element that is copied from the host to a GPU may be
  // used there after its delivery.
  void Place(Structure& element, int replica) const;

  // Whether placing copies nothing.
  bool is_light() const;
  // Whether placed elements must be delivered.
  bool copies() const;

  // Events after the elements placed so far.
  CopyEvents RecordCopies() const;
  // Computations enqueued from now on may use elements placed before the
  // events.
  void Deliver(const CopyEvents& copied) const;

 private:
  void PlaceTensor(Tensor& tensor, int replica) const;

  std::vector<Device*> devices_;
  bool fetch_to_device_;
  std::vector<std::shared_ptr<CopyRing>> rings_;  // nullptr: as for CopyEvents
};

// The steps of `placed`, which uses `placement`, made one ahead on another
// thread. Each is delivered to its devices when it is returned.
data_internal::ReaderPtr<Step> DeliverSteps(
    data_internal::ReaderPtr<Step> placed, const Placement& placement);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DELIVERY_H_
