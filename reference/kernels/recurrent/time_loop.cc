#include "reference/kernels/recurrent/time_loop.h"

#include <algorithm>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels_internal {

RecurrentSizes CheckRecurrent(const char* operation, int64_t gates,
                              int64_t states, const Tensor& projected,
                              const Tensor& recurrent, const Tensor& initial) {
  if (kernels::OnGpu(operation, projected, recurrent, initial)) {
    throw Unimplemented("[{}] has no kernel for {}", operation,
                        projected.device().name());
  }
  CheckFloating(operation, "projected", projected);
  CheckRank(operation, "projected", projected, 3);
  CheckDType(operation, "recurrent", recurrent, projected.dtype());
  CheckRank(operation, "recurrent", recurrent, 2);
  const int64_t units = recurrent.dim(0);
  CheckShape(operation, "recurrent", recurrent, Shape{units, gates * units});
  CheckShape(operation, "projected", projected,
             Shape{projected.dim(0), projected.dim(1), gates * units});
  CheckDType(operation, "initial", initial, projected.dtype());
  CheckShape(operation, "initial", initial,
             Shape{projected.dim(0), states * units});
  return {projected.dim(0), projected.dim(1), units};
}

Tensor StatesBefore(const Tensor& initial, const Tensor& states,
                    int64_t width) {
  const int64_t steps = states.dim(1);
  Tensor before =
      EmptyOnHost(Shape{states.dim(0), steps, width}, states.dtype());
  VisitFloating(states.dtype(), [&]<typename T>() {
    T* to = before.mutable_data<T>();
    for (int64_t n = 0; n < states.dim(0); ++n) {
      for (int64_t t = 0; t < steps; ++t) {
        const T* from = t == 0 ? initial.data<T>() + n * initial.dim(1)
                               : At<T>(states, n, t - 1);
        to = std::copy_n(from, width, to);
      }
    }
  });
  return before;
}

}  // namespace lockstep::kernels_internal
