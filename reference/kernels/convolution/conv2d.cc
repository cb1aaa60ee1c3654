#include "reference/kernels/convolution/conv2d.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "reference/kernels/check_tensor.h"
#include "reference/kernels/convolution/cpu/chunked_convolution.h"
#include "reference/kernels/convolution/cpu/thread_workspace.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/elementwise/elementwise_loops.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::Chunk;
using kernels_internal::ConvolutionShape;

// Whether oneDNN multiplies this type on this processor.
bool IsMultiplied(DType dtype) {
  return dtype == DType::kBFloat16 && kernels_internal::MultipliesBFloat16();
}

// Calls body with the C++ type that oneDNN multiplies.
template <class Body>
void VisitMultiplied(DType dtype, const Body& body) {
  if (dtype == DType::kBFloat16) return body.template operator()<BFloat16>();
  body.template operator()<float>();
}

// Provides dy by chunks, with 0 where y is not positive.
kernels_internal::ProvideGradient MaskedGradient(const ConvolutionShape& shape,
                                                 const Tensor& y,
                                                 const Tensor& dy, bool relu) {
  const int64_t image = shape.y_image();
  if (!relu) {
    return [dy, image](const Chunk& chunk) -> const void* {
      return static_cast<const std::byte*>(dy.raw_data()) +
             chunk.first * image * DTypeSize(dy.dtype());
    };
  }
  // The thread's workspace, which stays in its cache.
  const auto workspace = std::make_shared<kernels_internal::ThreadWorkspace>(
      kernels_internal::ChunkImages(shape) * image);
  return [workspace, y, dy, image](const Chunk& chunk) -> const void* {
    void* part = workspace->Of(chunk.member);
    const int64_t first = chunk.first * image;
    VisitMultiplied(y.dtype(), [&]<typename T>() {
      kernels_internal::ReluBackwardLoop(
          y.data<T>() + first, dy.data<T>() + first, static_cast<T*>(part),
          chunk.count * image);
    });
    return part;
  };
}

}  // namespace

Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const Conv2DOptions& options) {
  const bool on_gpu = x.defined() && OnGpu("Conv2D", x, filter, bias);
  if (IsNarrowFloat(x.dtype()) && !on_gpu && !IsMultiplied(x.dtype())) {
    return kernels_internal::InFloat32("Conv2D", x, Conv2D, x, filter, bias,
                                       options);
  }
  const ConvolutionShape shape = kernels_internal::MakeConvolutionShape(
      "Conv2D", x, filter, bias, options.strides, options.padding);
  if (on_gpu) return gpu::Conv2D(x, filter, bias, options);
  Tensor y = EmptyOnHost(shape.OutputShape(x.dim(0)), x.dtype());
  VisitMultiplied(x.dtype(), [&]<typename T>() {
    T* out = y.mutable_data<T>();
    kernels_internal::ConvolveChunks(
        shape, x.dtype(), x, filter,
        bias.defined() ? bias.Cast(DType::kFloat32) : bias,
        [&](const Chunk& chunk) { return out + chunk.first * shape.y_image(); },
        [&](const Chunk& chunk, void* outputs) {
          // Not oneDNN's own ReLU, which turns NaN into 0.
          if (!options.relu) return;
          T* part = static_cast<T*>(outputs);
          kernels_internal::UnaryLoop(kernels_internal::UnaryOp::kRelu, part,
                                      part, chunk.count * shape.y_image());
        });
  });
  return y;
}

Conv2DGradients Conv2DBackward(const Tensor& x, const Tensor& filter,
                               const Tensor& y, const Tensor& dy,
                               const Conv2DOptions& options, bool need_x) {
  const bool on_gpu = x.defined() && OnGpu("Conv2DBackward", x, filter, y, dy);
  if (IsNarrowFloat(x.dtype()) && !on_gpu && !IsMultiplied(x.dtype())) {
    return kernels_internal::InFloat32("Conv2DBackward", x, Conv2DBackward, x,
                                       filter, y, dy, options, need_x);
  }
  constexpr const char* kName = "Conv2DBackward";
  const ConvolutionShape shape = kernels_internal::MakeConvolutionShape(
      kName, x, filter, Tensor(), options.strides, options.padding);
  const Shape y_shape = shape.OutputShape(x.dim(0));
  kernels_internal::CheckDType(kName, "dy", dy, x.dtype());
  kernels_internal::CheckShape(kName, "dy", dy, y_shape);
  if (options.relu) kernels_internal::CheckSameTypeAndShape(kName, dy, y);
  if (on_gpu) return gpu::Conv2DBackward(x, filter, y, dy, options, need_x);
  Conv2DGradients gradients{
      need_x ? EmptyOnHost(x.shape(), x.dtype()) : Tensor(),
      EmptyOnHost(filter.shape()), EmptyOnHost(Shape{shape.outputs})};
  kernels_internal::ConvolveChunksBackward(
      shape, x, filter, MaskedGradient(shape, y, dy, options.relu), gradients.x,
      gradients.filter, gradients.bias);
  return kernels_internal::Narrowed(x.dtype(), std::move(gradients));
}

}  // namespace lockstep::kernels
