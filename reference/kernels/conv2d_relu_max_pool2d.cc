#include "reference/kernels/conv2d_relu_max_pool2d.h"

#include <array>
#include <optional>

#include "reference/base/error.h"
#include "reference/kernels/cpu/winograd_conv_pool.h"

namespace lockstep::kernels {
namespace {

Conv2DOptions ConvolutionOptions(const Conv2DReluMaxPool2DOptions& options) {
  return {options.strides, options.padding, /*relu=*/true};
}

void CheckWindow(const MaxPool2DOptions& pool) {
  if (pool.pool[0] * pool.pool[1] > kReluCut) {
    throw InvalidArgument(
        "[Conv2DReluMaxPool2D] a window may have {} elements, got {} x {}",
        kReluCut, pool.pool[0], pool.pool[1]);
  }
}

// How Winograd's algorithm divides the images, where it can and is worth it.
std::optional<kernels_internal::WinogradTiles> FindTiles(
    const Tensor& x, const Tensor& filter,
    const Conv2DReluMaxPool2DOptions& options) {
  constexpr std::array<int64_t, 2> kOne{1, 1};
  constexpr std::array<int64_t, 2> kTwo{2, 2};
  constexpr int64_t kFewChannels = 8;  // transforms would cost too much
  if (filter.dim(0) != 3 || filter.dim(1) != 3 || options.strides != kOne ||
      options.pool.pool != kTwo || options.pool.strides != kTwo ||
      filter.dim(2) < kFewChannels || filter.dim(3) < kFewChannels) {
    return std::nullopt;
  }
  const Windows rows = PlaceWindows("Conv2D", x.dim(1), 3, 1, options.padding);
  const Windows columns =
      PlaceWindows("Conv2D", x.dim(2), 3, 1, options.padding);
  const auto whole = [&](const Windows& w) { return w.count % 2 == 0; };
  if (options.pool.padding == Padding::kSame &&
      !(whole(rows) && whole(columns))) {
    return std::nullopt;
  }
  return kernels_internal::WinogradTiles{
      x.dim(1),       x.dim(2),          filter.dim(2), filter.dim(3),
      rows.count / 2, columns.count / 2, rows.before,   columns.before};
}

}  // namespace

Conv2DReluMaxPool2DResult Conv2DReluMaxPool2D(
    const Tensor& x, const Tensor& filter, const Tensor& bias,
    const Conv2DReluMaxPool2DOptions& options) {
  CheckWindow(options.pool);
  if (const auto tiles = FindTiles(x, filter, options)) {
    const Shape shape{x.dim(0), tiles->rows, tiles->columns, tiles->outputs};
    Conv2DReluMaxPool2DResult result{Tensor::Empty(shape),
                                     Tensor::Empty(shape, DType::kUInt8)};
    kernels_internal::WinogradConvPool(*tiles, x, filter, bias, result.y,
                                       result.selection);
    return result;
  }
  MaxPool2DResult pooled = MaxPool2D(
      Conv2D(x, filter, bias, ConvolutionOptions(options)), options.pool);
  uint8_t* selection = pooled.argmax.mutable_data<uint8_t>();
  for (int64_t i = 0; i < pooled.y.num_elements(); ++i) {
    if (!(pooled.y.at<float>(i) > 0)) selection[i] = kReluCut;
  }
  return {pooled.y, pooled.argmax};
}

Conv2DGradients Conv2DReluMaxPool2DBackward(
    const Tensor& x, const Tensor& filter, const Tensor& selection,
    const Tensor& dy, const Conv2DReluMaxPool2DOptions& options, bool need_x) {
  CheckWindow(options.pool);
  if (const auto tiles = FindTiles(x, filter, options)) {
    Conv2DGradients gradients{need_x ? Tensor::Empty(x.shape()) : Tensor(),
                              Tensor::Empty(filter.shape()),
                              Tensor::Empty(Shape{tiles->outputs})};
    kernels_internal::WinogradConvPoolBackward(*tiles, x, filter, selection, dy,
                                               gradients.x, gradients.filter,
                                               gradients.bias);
    return gradients;
  }
  Conv2DOptions convolution = ConvolutionOptions(options);
  convolution.relu = false;
  const Shape shape = Conv2D(x, filter, Tensor(), convolution).shape();
  Tensor index = selection.Clone();
  Tensor masked = dy.Clone();
  for (int64_t i = 0; i < dy.num_elements(); ++i) {
    if (selection.at<uint8_t>(i) == kReluCut) {
      index.mutable_data<uint8_t>()[i] = 0;
      masked.mutable_data<float>()[i] = 0;
    }
  }
  const Tensor dconv = MaxPool2DBackward(shape, index, masked, options.pool);
  return Conv2DBackward(x, filter, Tensor(), dconv, convolution, need_x);
}

}  // namespace lockstep::kernels
