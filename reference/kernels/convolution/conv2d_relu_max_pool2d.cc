#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"

#include <array>
#include <optional>
#include <utility>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/convolution/cpu/chunked_convolution.h"
#include "reference/kernels/convolution/cpu/shallow.h"
#include "reference/kernels/convolution/cpu/thread_workspace.h"
#include "reference/kernels/convolution/cpu/winograd.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/pooling/pool_loops.h"
#include "reference/tensor/cast_loop.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::Chunk;
using kernels_internal::ConvolutionShape;
using kernels_internal::PoolShape;
using kernels_internal::ShallowShape;
using kernels_internal::ThreadWorkspace;
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

// How Winograd's algorithm divides the images into tiles; nullopt if it does
// not apply or would be slower.
std::optional<WinogradTiles> FindTiles(const Shapes& shapes) {
  constexpr std::array<int64_t, 2> kOne{1, 1};
  constexpr std::array<int64_t, 2> kTwo{2, 2};
  constexpr int64_t kFewChannels = 8;  // transforms would be too slow
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

// Memory for a chunk's convolution.
ThreadWorkspace ChunkWorkspace(const ConvolutionShape& shape) {
  return ThreadWorkspace(kernels_internal::ChunkImages(shape) *
                         shape.y_image());
}

void Direct(const Shapes& shapes, const Tensor& x, const Tensor& filter,
            const Tensor& bias, Conv2DReluMaxPool2DResult& result) {
  const PoolShape& pool = shapes.pool;
  const ThreadWorkspace convolved = ChunkWorkspace(shapes.convolution);
  const ThreadWorkspace pooled(pool.y_image());
  uint8_t* winners = result.selection.mutable_data<uint8_t>();
  kernels_internal::ConvolveChunks(
      shapes.convolution, DType::kFloat32, x, filter, bias,
      [&](const Chunk& chunk) { return convolved.Of(chunk.member); },
      [&](const Chunk& chunk, const void* outputs) {
        const float* part = static_cast<const float*>(outputs);
        for (int64_t i = 0; i < chunk.count; ++i) {
          const int64_t offset = (chunk.first + i) * pool.y_image();
          float* to = kernels_internal::PlaceFloats(result.y, offset,
                                                    pooled.Of(chunk.member));
          kernels_internal::MaxPoolReluImage(pool, part + i * pool.x_image(),
                                             to, winners + offset);
          kernels_internal::KeepFloats(to, result.y, offset, pool.y_image());
        }
      });
}

// The gradient of the convolution's outputs, one chunk at a time.
class Unpooled {
 public:
  Unpooled(const Shapes& shapes, const Tensor& selection, const Tensor& dy)
      : pool_(shapes.pool),
        winners_(selection.data<uint8_t>()),
        dy_(dy),
        chunks_(ChunkWorkspace(shapes.convolution)),
        pooled_(pool_.y_image()),
        image_(pool_.x_image()) {}

  const void* Of(const Chunk& chunk) const {
    float* part = chunks_.Of(chunk.member);
    for (int64_t i = 0; i < chunk.count; ++i) {
      const int64_t at = i * pool_.x_image();
      if (dy_.dtype() == DType::kFloat32) {
        Unpool(chunk.first + i, chunk.member, part + at);
        continue;
      }
      float* image = image_.Of(chunk.member);
      Unpool(chunk.first + i, chunk.member, image);
      CastLoop(image, reinterpret_cast<BFloat16*>(part) + at, pool_.x_image());
    }
    return part;
  }

 private:
  void Unpool(int64_t image, int member, float* to) const {
    const int64_t offset = image * pool_.y_image();
    const float* dy = kernels_internal::ReadFloats(dy_, offset, pool_.y_image(),
                                                   pooled_.Of(member));
    kernels_internal::UnpoolImage(pool_, dy, winners_ + offset, to);
  }

  const PoolShape& pool_;
  const uint8_t* winners_;
  const Tensor& dy_;
  ThreadWorkspace chunks_;  // as float, or as bfloat16 in half of the space
  ThreadWorkspace pooled_, image_;
};

// The host's algorithms. Each is the fastest for some shapes.
enum class Algorithm { kInFloat32, kWinograd, kShallow, kDirect };

Algorithm ChooseAlgorithm(const Shapes& shapes, bool need_x) {
  const bool narrow = shapes.convolution.dtype != DType::kFloat32;
  const bool shallow =
      !need_x && kernels_internal::ShallowFits(shapes.convolution, shapes.pool);
  if (!narrow) {
    if (FindTiles(shapes)) return Algorithm::kWinograd;
    return shallow ? Algorithm::kShallow : Algorithm::kDirect;
  }
  if (shapes.convolution.dtype != DType::kBFloat16)
    return Algorithm::kInFloat32;
  if (shallow && !FindTiles(shapes)) return Algorithm::kShallow;
  // With AMX, multiplications are cheaper than Winograd's transforms.
  if (kernels_internal::MultipliesTiles()) return Algorithm::kDirect;
  return FindTiles(shapes) || !kernels_internal::MultipliesBFloat16()
             ? Algorithm::kInFloat32
             : Algorithm::kDirect;
}

}  // namespace

Conv2DReluMaxPool2DResult Conv2DReluMaxPool2D(
    const Tensor& x, const Tensor& filter, const Tensor& bias,
    const Conv2DReluMaxPool2DOptions& options) {
  const bool on_gpu = x.defined() && OnGpu(kName, x, filter, bias);
  const Shapes shapes = MakeShapes(x, filter, bias, options);
  if (on_gpu) return gpu::Conv2DReluMaxPool2D(x, filter, bias, options);
  const Algorithm algorithm = ChooseAlgorithm(shapes, /*need_x=*/false);
  if (algorithm == Algorithm::kInFloat32) {
    return kernels_internal::InFloat32(kName, x, Conv2DReluMaxPool2D, x, filter,
                                       bias, options);
  }
  const Shape y_shape = shapes.pool.OutputShape(x.dim(0));
  Conv2DReluMaxPool2DResult result{EmptyOnHost(y_shape, x.dtype()),
                                   EmptyOnHost(y_shape, DType::kUInt8)};
  const Tensor wide_bias = bias.defined() ? bias.Cast(DType::kFloat32) : bias;
  if (algorithm == Algorithm::kWinograd) {
    kernels_internal::WinogradConvPool(*FindTiles(shapes), x, filter, bias,
                                       result.y, result.selection);
  } else if (algorithm == Algorithm::kShallow) {
    kernels_internal::ShallowConvPool(
        ShallowShape(shapes.convolution, shapes.pool), x,
        filter.Cast(DType::kFloat32), wide_bias, result.y, result.selection);
  } else {
    Direct(shapes, x, filter, wide_bias, result);
  }
  return result;
}

Conv2DGradients Conv2DReluMaxPool2DBackward(
    const Tensor& x, const Tensor& filter, const Tensor& selection,
    const Tensor& dy, const Conv2DReluMaxPool2DOptions& options, bool need_x) {
  const bool on_gpu = x.defined() && OnGpu(kName, x, filter, selection, dy);
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
  const Algorithm algorithm = ChooseAlgorithm(shapes, need_x);
  if (algorithm == Algorithm::kInFloat32) {
    return kernels_internal::InFloat32(kName, x, Conv2DReluMaxPool2DBackward, x,
                                       filter, selection, dy, options, need_x);
  }
  Conv2DGradients gradients{
      need_x ? EmptyOnHost(x.shape(), x.dtype()) : Tensor(),
      EmptyOnHost(filter.shape()), EmptyOnHost(Shape{filter.dim(3)})};
  if (algorithm == Algorithm::kWinograd) {
    kernels_internal::WinogradConvPoolBackward(
        *FindTiles(shapes), x, filter, selection, dy, gradients.x,
        gradients.filter, gradients.bias);
  } else if (algorithm == Algorithm::kShallow) {
    kernels_internal::ShallowConvPoolBackward(
        ShallowShape(shapes.convolution, shapes.pool), x, selection, dy,
        gradients.filter, gradients.bias);
  } else {
    const Unpooled unpooled(shapes, selection, dy);
    kernels_internal::ConvolveChunksBackward(
        shapes.convolution, x, filter,
        [&](const Chunk& chunk) { return unpooled.Of(chunk); }, gradients.x,
        gradients.filter, gradients.bias);
  }
  return kernels_internal::Narrowed(x.dtype(), std::move(gradients));
}

}  // namespace lockstep::kernels
