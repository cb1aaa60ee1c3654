#include "reference/kernels/conv2d_relu_max_pool2d.h"

#include "reference/base/error.h"

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

}  // namespace

Conv2DReluMaxPool2DResult Conv2DReluMaxPool2D(
    const Tensor& x, const Tensor& filter, const Tensor& bias,
    const Conv2DReluMaxPool2DOptions& options) {
  CheckWindow(options.pool);
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
