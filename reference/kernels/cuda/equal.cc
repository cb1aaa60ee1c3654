// The GPU version of equal.h.
#include "reference/kernels/equal.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/equal_launch.h"

namespace lockstep::kernels {
namespace {

Tensor EqualOnGpu(const Tensor& a, const Tensor& b) {
  Tensor out = Tensor::Empty(a.shape(), DType::kBool, a.device());
  VisitDType(a.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T>) {
      CheckCuda(cuda::Equal(a.data<T>(), b.data<T>(), out.mutable_data<bool>(),
                            a.num_elements(), StreamOf(a.device())),
                "[Equal] launch");
    }
  });
  return out;
}

const RegisterKernel equal(gpu::Equal, &EqualOnGpu);

}  // namespace
}  // namespace lockstep::kernels
