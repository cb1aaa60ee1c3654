// A GPU for tests on machines without one.
//
// Its memory faults when the host touches it, as a GPU's would; only what its
// queue runs may. What lies there is seen through a second mapping of the same
// pages:
//
//   FakeGpu gpu;
//   Tensor x = Tensor::FromVector<float>({1, 2}, Shape{2}, gpu.device());
//   gpu.View(x.data<float>())[1];   // 2
#ifndef LOCKSTEP_REFERENCE_DEVICE_FAKE_GPU_H_
#define LOCKSTEP_REFERENCE_DEVICE_FAKE_GPU_H_

#include <cstddef>
#include <memory>

#include "reference/device/device.h"
#include "reference/device/fake_queue.h"
#include "reference/device/simulated_queues.h"

namespace lockstep {

class FakeGpu {
 public:
  // What happens when the host touches the GPU's memory directly.
  enum class HostAccess { kFaults, kAllowed };

  // It can hand out `bytes` once: what is returned is not handed out again.
  explicit FakeGpu(int index = 0, size_t bytes = size_t{8} << 20,
                   HostAccess access = HostAccess::kFaults);
  ~FakeGpu();

  Device& device() { return *device_; }

  // The same element where the host may touch it.
  template <typename T>
  T* View(const T* device_pointer) const {
    return static_cast<T*>(ViewBytes(device_pointer));
  }

  // What it is given to do in other queues than its own, and the marks between
  // them. It does at once what tensors and kernels ask of it.
  SimulatedQueues& queues() const;

  // How often something was copied, a fill included.
  int transfers() const;
  // How often the host waited: something was copied to it, or it asked to.
  int waits() const;
  // How often the host sent something. A fill is none: its value is part of
  // the command.
  int uploads() const;

  // The next launch of a graph that begins on this GPU fails.
  void FailNextLaunch();

  // Where its kernels go. REQUIRES: the device is a FakeGpu's.
  static FakeQueue& QueueOf(const Device& device);

 private:
  class Memory;
  void* ViewBytes(const void* device_pointer) const;

  Memory* memory_;  // owned by the device
  std::unique_ptr<Device> device_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_FAKE_GPU_H_
