#include "reference/autodiff/ops/convolution.h"

#include <utility>

#include "reference/autodiff/gradient_tape.h"

namespace lockstep::ops {
namespace {

Gradients Needed(kernels::Conv2DGradients d, std::span<const bool> needed) {
  Gradients result(3);
  if (needed[0]) result[0] = std::move(d.x);
  if (needed[1]) result[1] = std::move(d.filter);
  if (needed[2]) result[2] = std::move(d.bias);
  return result;
}

}  // namespace

Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const kernels::Conv2DOptions& options) {
  Tensor y = kernels::Conv2D(x, filter, bias, options);
  RecordOperation({x, filter, bias}, y,
                  [x, filter, mask = options.relu ? y : Tensor(), options](
                      const Tensor& dy, std::span<const bool> needed) {
                    return Needed(kernels::Conv2DBackward(x, filter, mask, dy,
                                                          options, needed[0]),
                                  needed);
                  });
  return y;
}

Tensor AvgPool2D(const Tensor& x, const kernels::AvgPool2DOptions& options) {
  Tensor y = kernels::AvgPool2D(x, options);
  RecordOperation(
      {x}, y,
      [x_shape = x.shape(), options](const Tensor& dy, std::span<const bool>) {
        return Gradients{kernels::AvgPool2DBackward(x_shape, dy, options)};
      });
  return y;
}

Tensor MaxPool2D(const Tensor& x, const kernels::MaxPool2DOptions& options) {
  kernels::MaxPool2DResult result = kernels::MaxPool2D(x, options);
  RecordOperation({x}, result.y,
                  [x_shape = x.shape(), argmax = std::move(result.argmax),
                   options](const Tensor& dy, std::span<const bool>) {
                    return Gradients{kernels::MaxPool2DBackward(x_shape, argmax,
                                                                dy, options)};
                  });
  return result.y;
}

Tensor Conv2DReluMaxPool2D(const Tensor& x, const Tensor& filter,
                           const Tensor& bias,
                           const kernels::Conv2DReluMaxPool2DOptions& options) {
  kernels::Conv2DReluMaxPool2DResult result =
      kernels::Conv2DReluMaxPool2D(x, filter, bias, options);
  RecordOperation({x, filter, bias}, result.y,
                  [x, filter, selection = std::move(result.selection), options](
                      const Tensor& dy, std::span<const bool> needed) {
                    return Needed(
                        kernels::Conv2DReluMaxPool2DBackward(
                            x, filter, selection, dy, options, needed[0]),
                        needed);
                  });
  return result.y;
}

}  // namespace lockstep::ops
