#include "reference/kernels/scale.h"

#include "reference/kernels/binary.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {

Tensor Scale(const Tensor& x, double factor) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("Scale", x, Scale, x, factor);
  }
  kernels_internal::CheckFloating("Scale", "x", x);
  if (OnGpu("Scale", x)) return gpu::Scale(x, factor);
  Tensor scaled;
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    scaled = Multiply(x, Tensor::Scalar(static_cast<T>(factor), x.device()));
  });
  return scaled;
}

}  // namespace lockstep::kernels
