#include "reference/layers/conv2d.h"

#include <algorithm>

#include "reference/autodiff/ops/convolution.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {

Conv2D::Conv2D(int64_t filters, Size2D kernel_size,
               const Conv2DOptions& options)
    : Layer(options.name.empty() ? UniqueName("conv2d") : options.name,
            options.dtype),
      filters_(filters),
      kernel_size_(kernel_size),
      options_(options) {
  const int64_t smallest =
      std::min({filters, kernel_size.rows, kernel_size.columns,
                options.strides.rows, options.strides.columns});
  if (smallest < 1) {
    throw InvalidArgument(
        "[Conv2D] filters, kernel size and strides must be at least 1, got "
        "{}, {} x {} and {} x {}",
        filters, kernel_size.rows, kernel_size.columns, options.strides.rows,
        options.strides.columns);
  }
}

Shape Conv2D::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument("[Conv2D] images [N, H, W, C] are needed, got {}",
                          ToString(input_shape));
  }
  const auto outputs = [&](int axis, int64_t window, int64_t stride) {
    return kernels::PlaceWindows("Conv2D", input_shape[axis], window, stride,
                                 options_.padding)
        .count;
  };
  return {input_shape[0], outputs(1, kernel_size_.rows, options_.strides.rows),
          outputs(2, kernel_size_.columns, options_.strides.columns), filters_};
}

void Conv2D::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // for its errors
  kernel_ = AddWeight({.name = "kernel",
                       .checkpoint_name = "_kernel",
                       .shape = {kernel_size_.rows, kernel_size_.columns,
                                 input_shape[3], filters_},
                       .initializer = options_.kernel_initializer,
                       .regularizer = options_.kernel_regularizer});
  if (!options_.use_bias) return;
  bias_ = AddWeight({.name = "bias",
                     .checkpoint_name = "bias",
                     .shape = {filters_},
                     .initializer = options_.bias_initializer,
                     .regularizer = options_.bias_regularizer});
}

Tensor Conv2D::Call(const Tensor& x, bool /*training*/) {
  const bool relu = options_.activation == Activation::kRelu;
  const Tensor y = ops::Conv2D(x, Read(kernel_), Read(bias_),
                               {.strides = options_.strides.ToArray(),
                                .padding = options_.padding,
                                .relu = relu});
  return relu ? y : Activate(options_.activation, y);
}

bool Conv2D::CanFuse(const Layer& next) const {
  if (!IsExactly<Conv2D>() || !next.IsExactly<MaxPooling2D>()) return false;
  const auto& pool = static_cast<const MaxPooling2D&>(next).pool();
  constexpr int64_t kLargestFusedWindow = 255;  // see the kernel
  return options_.activation == Activation::kRelu &&
         next.dtype_policy().compute_dtype() ==
             dtype_policy().compute_dtype() &&
         pool.pool[0] * pool.pool[1] <= kLargestFusedWindow;
}

Tensor Conv2D::CallWithMaxPool(const Tensor& x,
                               const kernels::MaxPool2DOptions& pool) {
  return ops::Conv2DReluMaxPool2D(CastInput(x), Read(kernel_), Read(bias_),
                                  {.strides = options_.strides.ToArray(),
                                   .padding = options_.padding,
                                   .pool = pool});
}

}  // namespace lockstep
