// Steps whose parts are copied to GPUs while the step before is computed: the
// memory they are copied into, where each part goes, and when it is there.
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

// Memory of a GPU that input is copied into while the GPU computes.
//
//   auto ring = std::make_shared<CopyRing>(gpu);
//   BufferPtr batch = ring->Copy(from, bytes);    // in the copy stream
//   const auto copied = ring->Record();
//   ...
//   ring->Deliver(*copied);                       // batch may be used now
//
// Blocks go round. One is taken by Copy, used in the compute stream after its
// delivery, and comes back when the buffer's last holder lets go of it: the
// compute stream records an event there, and the next copy into the block waits
// for that event, on the GPU. So a copy waits for what used its block before
// and for nothing that was computed later, as one into a block of the device's
// pool would. Blocks are never the pool's; they are given back with the ring.
//
// While the compute stream is captured into a graph it gets no events: a block
// that a capturing thread lets go of, and the graph may read again, stays away
// for good; one that another thread does comes back after the capture.
//
// Thread-safe; its buffers keep it alive. Errors of all: Internal, when the
// device fails.
class CopyRing : public std::enable_shared_from_this<CopyRing> {
 public:
  // REQUIRES: made as a shared_ptr; `device` has memory of its own, and
  // outlives the ring.
  explicit CopyRing(Device& device);
  // What was copied and not delivered ends before its block is given back.
  ~CopyRing();
  CopyRing(const CopyRing&) = delete;
  CopyRing& operator=(const CopyRing&) = delete;

  // A copy of the host's `bytes` at `from`, which may change at once. The host
  // may wait for earlier copies. Errors: ResourceExhausted.
  BufferPtr Copy(const void* from, size_t bytes);
  // Behind the copies made so far.
  std::unique_ptr<DeviceStreams::Event> Record();
  // What is computed from now on may use what was copied before the event.
  void Deliver(const DeviceStreams::Event& event);

 private:
  struct Block {
    void* data = nullptr;
    size_t bytes = 0;
    std::unique_ptr<DeviceStreams::Event> used;  // nullptr: not computed with
  };
  // What a buffer holds.
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
  std::deque<Block> free_;        // the one that came back first in front
  std::deque<Block> unrecorded_;  // came back during a capture
};

// One a replica; nullptr where its device is in the host's memory.
using CopyEvents = std::vector<std::unique_ptr<DeviceStreams::Event>>;

// Where the parts of a step go.
//
// Copies of a placement share its memory on GPUs, which thus serves all passes.
class Placement {
 public:
  // REQUIRES: at least one device; they outlive the placement.
  Placement(std::vector<Device*> devices, bool fetch_to_device);

  int replicas() const { return static_cast<int>(devices_.size()); }
  Device& device(int replica) const { return *devices_[replica]; }

  // Puts the element on the replica's device, or leaves it without
  // fetch_to_device. What comes from the host to a GPU may be used there when
  // it is delivered.
  void Place(Structure& element, int replica) const;

  // Placing copies nothing.
  bool is_light() const;
  // What is placed must be delivered.
  bool copies() const;

  // Behind what was placed so far.
  CopyEvents RecordCopies() const;
  // What the devices compute from now on may use what was placed before.
  void Deliver(const CopyEvents& copied) const;

 private:
  void PlaceTensor(Tensor& tensor, int replica) const;

  std::vector<Device*> devices_;
  bool fetch_to_device_;
  std::vector<std::shared_ptr<CopyRing>> rings_;  // nullptr as for CopyEvents
};

// The steps of `placed`, which it places by `placement`, made one ahead on a
// thread of its own. Each is delivered to its devices as it is handed out.
data_internal::ReaderPtr<Step> DeliverSteps(
    data_internal::ReaderPtr<Step> placed, const Placement& placement);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DELIVERY_H_
