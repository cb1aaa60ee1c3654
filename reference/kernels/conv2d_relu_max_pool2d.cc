#include "reference/kernels/conv2d_relu_max_pool2d.h"

#include <array>
#include <optional>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/chunked_convolution.h"
#include "reference/kernels/cpu/max_pool.h"
#include "reference/kernels/cpu/member_rooms.h"
#include "reference/kernels/cpu/shallow_conv_pool.h"
#include "reference/kernels/cpu/winograd_conv_pool.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::Chunk;
using kernels_internal::ConvolutionShape;
using kernels_internal::PoolShape;
using kernels_internal::ShallowShape;
using kernels_internal::WinogradTiles;

constexpr const char* kName = "Conv2DReluMaxPool2D";

struct Shapes {
  ConvolutionShape convolution;
  PoolShape pool;
};

Shapes MakeShapes(const Tensor& x, const Tensor& filter, const Tensor& bias,
                  const Conv2DReluMaxPool2DOptions& options) {
  const MaxPool2DOptions& pool = options.pool;
  if (pool.pool[0] * pool.pool[1] > kReluCut) {
    throw InvalidArgument("[{}] a window may have {} elements, got {} x {}",
                          kName, kReluCut, pool.pool[0], pool.pool[1]);
  }
  const ConvolutionShape convolution = kernels_internal::MakeConvolutionShape(
      kName, x, filter, bias, options.strides, options.padding);
  const int64_t height = convolution.rows.count;
  const int64_t width = convolution.columns.count;
  return {
      convolution,
      {height, width, convolution.outputs,
       PlaceWindows(kName, height, pool.pool[0], pool.strides[0], pool.padding),
       PlaceWindows(kName, width, pool.pool[1], pool.strides[1], pool.padding),
       pool.pool, pool.strides}};
}

// How Winograd's algorithm divides the images, where it can and is worth it.
std::optional<WinogradTiles> FindTiles(const Shapes& shapes) {
  constexpr std::array<int64_t, 2> kOne{1, 1};
  constexpr std::array<int64_t, 2> kTwo{2, 2};
  constexpr int64_t kFewChannels = 8;  // transforms would cost too much
  const ConvolutionShape& c = shapes.convolution;
  const PoolShape& p = shapes.pool;
  const bool windows_are_whole =
      p.rows.count * 2 <= p.height && p.columns.count * 2 <= p.width;
  if (c.filter_rows != 3 || c.filter_columns != 3 || c.strides != kOne ||
      p.pool != kTwo || p.strides != kTwo || !windows_are_whole ||
      c.inputs < kFewChannels || c.outputs < kFewChannels) {
    return std::nullopt;
  }
  return WinogradTiles{c.height,      c.width,         c.inputs,
                       c.outputs,     p.rows.count,    p.columns.count,
                       c.rows.before, c.columns.before};
}

// Room for a chunk's convolution, for each member of the team.
kernels_internal::MemberRooms ChunkRooms(const ConvolutionShape& shape) {
  return kernels_internal::MemberRooms(kernels_internal::ChunkImages(shape) *
                                       shape.y_image());
}

void Direct(const Shapes& shapes, const Tensor& x, const Tensor& filter,
            const Tensor& bias, Conv2DReluMaxPool2DResult& result) {
  const kernels_internal::MemberRooms rooms = ChunkRooms(shapes.convolution);
  float* to = result.y.mutable_data<float>();
  uint8_t* winners = result.selection.mutable_data<uint8_t>();
  kernels_internal::ConvolveChunks(
      shapes.convolution, x, filter, bias,
      [&](const Chunk& chunk) { return rooms.Of(chunk.member); },
      [&](const Chunk& chunk, const float* part) {
        for (int64_t i = 0; i < chunk.count; ++i) {
          const int64_t offset = (chunk.first + i) * shapes.pool.y_image();
          kernels_internal::MaxPoolReluImage(shapes.pool,
                                             part + i * shapes.pool.x_image(),
                                             to + offset, winners + offset);
        }
      });
}

void DirectBackward(const Shapes& shapes, const Tensor& x, const Tensor& filter,
                    const Tensor& selection, const Tensor& dy,
                    Conv2DGradients& gradients) {
  const kernels_internal::MemberRooms rooms = ChunkRooms(shapes.convolution);
  kernels_internal::ConvolveChunksBackward(
      shapes.convolution, x, filter,
      [&](const Chunk& chunk) -> const float* {
        float* part = rooms.Of(chunk.member);
        for (int64_t i = 0; i < chunk.count; ++i) {
          const int64_t offset = (chunk.first + i) * shapes.pool.y_image();
          kernels_internal::UnpoolImage(shapes.pool, dy.data<float>() + offset,
                                        selection.data<uint8_t>() + offset,
                                        part + i * shapes.pool.x_image());
        }
        return part;
      },
      gradients.x, gradients.filter, gradients.bias);
}

}  // namespace

Conv2DReluMaxPool2DResult Conv2DReluMaxPool2D(
    const Tensor& x, const Tensor& filter, const Tensor& bias,
    const Conv2DReluMaxPool2DOptions& options) {
  const bool on_gpu = x.defined() && OnGpu(kName, x, filter, bias);
  if (IsNarrowFloat(x.dtype()) && !on_gpu) {
    return kernels_internal::InFloat32("Conv2DReluMaxPool2D", x,
                                       Conv2DReluMaxPool2D, x, filter, bias,
                                       options);
  }
  const Shapes shapes = MakeShapes(x, filter, bias, options);
  if (on_gpu) return gpu::Conv2DReluMaxPool2D(x, filter, bias, options);
  const Shape y_shape = shapes.pool.OutputShape(x.dim(0));
  Conv2DReluMaxPool2DResult result{EmptyOnHost(y_shape),
                                   EmptyOnHost(y_shape, DType::kUInt8)};
  if (const auto tiles = FindTiles(shapes)) {
    kernels_internal::WinogradConvPool(*tiles, x, filter, bias, result.y,
                                       result.selection);
  } else if (kernels_internal::ShallowFits(shapes.convolution, shapes.pool)) {
    kernels_internal::ShallowConvPool(
        ShallowShape(shapes.convolution, shapes.pool), x, filter, bias,
        result.y, result.selection);
  } else {
    Direct(shapes, x, filter, bias, result);
  }
  return result;
}

Conv2DGradients Conv2DReluMaxPool2DBackward(
    const Tensor& x, const Tensor& filter, const Tensor& selection,
    const Tensor& dy, const Conv2DReluMaxPool2DOptions& options, bool need_x) {
  const bool on_gpu = x.defined() && OnGpu(kName, x, filter, selection, dy);
  if (IsNarrowFloat(x.dtype()) && !on_gpu) {
    return kernels_internal::InFloat32("Conv2DReluMaxPool2DBackward", x,
                                       Conv2DReluMaxPool2DBackward, x, filter,
                                       selection, dy, options, need_x);
  }
  const Shapes shapes = MakeShapes(x, filter, Tensor(), options);
  const Shape y_shape = shapes.pool.OutputShape(x.dim(0));
  kernels_internal::CheckDType(kName, "selection", selection, DType::kUInt8);
  kernels_internal::CheckShape(kName, "selection", selection, y_shape);
  kernels_internal::CheckDType(kName, "dy", dy, x.dtype());
  kernels_internal::CheckShape(kName, "dy", dy, y_shape);
  if (on_gpu) {
    return gpu::Conv2DReluMaxPool2DBackward(x, filter, selection, dy, options,
                                            need_x);
  }
  Conv2DGradients gradients{need_x ? EmptyOnHost(x.shape()) : Tensor(),
                            EmptyOnHost(filter.shape()),
                            EmptyOnHost(Shape{filter.dim(3)})};
  if (const auto tiles = FindTiles(shapes)) {
    kernels_internal::WinogradConvPoolBackward(*tiles, x, filter, selection, dy,
                                               gradients.x, gradients.filter,
                                               gradients.bias);
  } else if (!need_x &&
             kernels_internal::ShallowFits(shapes.convolution, shapes.pool)) {
    kernels_internal::ShallowConvPoolBackward(
        ShallowShape(shapes.convolution, shapes.pool), x, selection, dy,
        gradients.filter, gradients.bias);
  } else {
    DirectBackward(shapes, x, filter, selection, dy, gradients);
  }
  return gradients;
}

}  // namespace lockstep::kernels
