// Tensors in host memory, whatever the current device is.
//
//   const DeviceScope on_gpu(FindDevice("GPU:0"));
//   Tensor a = Tensor::Empty(Shape{2});  // on the GPU: not a host address
//   Tensor b = EmptyOnHost(Shape{2});
//   b.mutable_data<float>()[0] = 1;
//
// Host kernels, and code that reads and prepares data, make their results in
// this way: their inputs and outputs are in host memory.
#ifndef LOCKSTEP_REFERENCE_TENSOR_HOST_TENSOR_H_
#define LOCKSTEP_REFERENCE_TENSOR_HOST_TENSOR_H_

#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// The current device if its memory is the host's, else CPU:0.
inline Device& CurrentHost() {
  Device& current = Device::Current();
  return current.on_host() ? current : Device::Host();
}

// Uninitialised memory on CurrentHost() (strings are empty).
inline Tensor EmptyOnHost(const Shape& shape, DType dtype = DType::kFloat32) {
  return Tensor::Empty(shape, dtype, CurrentHost());
}

inline Tensor ZerosOnHost(const Shape& shape, DType dtype = DType::kFloat32) {
  return Tensor::Zeros(shape, dtype, CurrentHost());
}

// Makes the thread create all its tensors on CurrentHost(), around callbacks
// whose results the host reads.
class HostScope {
 public:
  HostScope() : scope_(CurrentHost()) {}

 private:
  DeviceScope scope_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_HOST_TENSOR_H_
