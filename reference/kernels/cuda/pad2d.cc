// Zeros around images on GPUs.
#include "reference/kernels/pad2d.h"

#include "reference/kernels/cuda/image_copy.h"

namespace lockstep::kernels {
namespace {

using cuda::CopyImageParts;
using cuda::SetToZero;

Tensor PadOnGpu(const Tensor& x, const Pad2DOptions& options) {
  Tensor y =
      Tensor::Empty(Shape{x.dim(0), x.dim(1) + options.top + options.bottom,
                          x.dim(2) + options.left + options.right, x.dim(3)},
                    x.dtype(), x.device());
  SetToZero(y);
  CopyImageParts(x, {}, y, {options.top, options.left}, x.dim(1), x.dim(2));
  return y;
}

Tensor CropOnGpu(const Tensor& dy, const Pad2DOptions& options) {
  const int64_t rows = dy.dim(1) - options.top - options.bottom;
  const int64_t columns = dy.dim(2) - options.left - options.right;
  Tensor dx = Tensor::Empty(Shape{dy.dim(0), rows, columns, dy.dim(3)},
                            dy.dtype(), dy.device());
  CopyImageParts(dy, {options.top, options.left}, dx, {}, rows, columns);
  return dx;
}

const RegisterKernel kPad(gpu::Pad2D, &PadOnGpu);
const RegisterKernel kCrop(gpu::Pad2DBackward, &CropOnGpu);

}  // namespace
}  // namespace lockstep::kernels
