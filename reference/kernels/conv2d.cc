#include "reference/kernels/conv2d.h"

#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/chunked_convolution.h"
#include "reference/kernels/cpu/member_rooms.h"
#include "reference/kernels/cpu/unary.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::Chunk;
using kernels_internal::ConvolutionShape;

}  // namespace

Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const Conv2DOptions& options) {
  const bool on_gpu = x.defined() && OnGpu("Conv2D", x, filter, bias);
  if (IsNarrowFloat(x.dtype()) && !on_gpu) {
    return kernels_internal::InFloat32("Conv2D", x, Conv2D, x, filter, bias,
                                       options);
  }
  const ConvolutionShape shape = kernels_internal::MakeConvolutionShape(
      "Conv2D", x, filter, bias, options.strides, options.padding);
  if (on_gpu) return gpu::Conv2D(x, filter, bias, options);
  Tensor y = Tensor::Empty(shape.OutputShape(x.dim(0)));
  float* out = y.mutable_data<float>();
  kernels_internal::ConvolveChunks(
      shape, x, filter, bias,
      [&](const Chunk& chunk) { return out + chunk.first * shape.y_image(); },
      [&](const Chunk& chunk, float* part) {
        // Not oneDNN's own ReLU, which turns NaN into 0.
        if (options.relu) {
          kernels_internal::UnaryLoop(kernels_internal::UnaryOp::kRelu, part,
                                      part, chunk.count * shape.y_image());
        }
      });
  return y;
}

Conv2DGradients Conv2DBackward(const Tensor& x, const Tensor& filter,
                               const Tensor& y, const Tensor& dy,
                               const Conv2DOptions& options, bool need_x) {
  const bool on_gpu = x.defined() && OnGpu("Conv2DBackward", x, filter, y, dy);
  if (IsNarrowFloat(x.dtype()) && !on_gpu) {
    return kernels_internal::InFloat32("Conv2DBackward", x, Conv2DBackward, x,
                                       filter, y, dy, options, need_x);
  }
  constexpr const char* kName = "Conv2DBackward";
  const ConvolutionShape shape = kernels_internal::MakeConvolutionShape(
      kName, x, filter, Tensor(), options.strides, options.padding);
  const Shape y_shape = shape.OutputShape(x.dim(0));
  kernels_internal::CheckDType(kName, "dy", dy, x.dtype());
  kernels_internal::CheckShape(kName, "dy", dy, y_shape);
  if (options.relu) kernels_internal::CheckAlike(kName, dy, y);
  if (on_gpu) return gpu::Conv2DBackward(x, filter, y, dy, options, need_x);
  const kernels_internal::MemberRooms rooms(
      options.relu ? kernels_internal::ChunkImages(shape) * shape.y_image()
                   : 0);
  const auto provide = [&](const Chunk& chunk) -> const float* {
    const int64_t offset = chunk.first * shape.y_image();
    const float* gradient = dy.data<float>() + offset;
    if (!options.relu) return gradient;
    float* part = rooms.Of(chunk.member);
    kernels_internal::ReluBackwardLoop(y.data<float>() + offset, gradient, part,
                                       chunk.count * shape.y_image());
    return part;
  };
  Conv2DGradients gradients{need_x ? Tensor::Empty(x.shape()) : Tensor(),
                            Tensor::Empty(filter.shape()),
                            Tensor::Empty(Shape{shape.outputs})};
  kernels_internal::ConvolveChunksBackward(
      shape, x, filter, provide, gradients.x, gradients.filter, gradients.bias);
  return gradients;
}

}  // namespace lockstep::kernels
