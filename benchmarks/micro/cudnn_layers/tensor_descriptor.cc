#include "benchmarks/micro/cudnn_layers/tensor_descriptor.h"

#include "reference/kernels/convolution/cuda/convolution_graph.h"

namespace lockstep::benchmarks {

TensorDescriptor::TensorDescriptor() {
  CheckSupported(cudnnCreateTensorDescriptor(&descriptor_),
                 "[TensorDescriptor] create");
}

TensorDescriptor::TensorDescriptor(const Shape& shape, DType dtype)
    : TensorDescriptor() {
  const bool images = shape.rank() == 4;
  const auto dim = [&](int axis) { return static_cast<int>(shape[axis]); };
  CheckSupported(
      cudnnSetTensor4dDescriptor(
          descriptor_, CUDNN_TENSOR_NHWC, cuda::CudnnType(dtype), dim(0),
          dim(images ? 3 : 1), images ? dim(1) : 1, images ? dim(2) : 1),
      "[TensorDescriptor] set");
}

TensorDescriptor::~TensorDescriptor() {
  cudnnDestroyTensorDescriptor(descriptor_);
}

}  // namespace lockstep::benchmarks
