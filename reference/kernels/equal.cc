#include "reference/kernels/equal.h"

#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/reduce.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {

Tensor Equal(const Tensor& a, const Tensor& b) {
  kernels_internal::CheckAlike("Equal", a, b);
  if (OnGpu("Equal", a, b)) return gpu::Equal(a, b);
  Tensor out = EmptyOnHost(a.shape(), DType::kBool);
  VisitDType(a.dtype(), [&]<typename T>() {
    const T* x = a.data<T>();
    const T* y = b.data<T>();
    bool* equal = out.mutable_data<bool>();
    for (int64_t i = 0; i < a.num_elements(); ++i) equal[i] = x[i] == y[i];
  });
  return out;
}

int64_t CountEqual(const Tensor& a, const Tensor& b) {
  kernels_internal::CheckAlike("CountEqual", a, b);
  if (OnGpu("CountEqual", a, b)) {
    return ReduceSum(Equal(a, b).Cast(DType::kInt64)).item<int64_t>();
  }
  return VisitDType(a.dtype(), [&]<typename T>() {
    const T* x = a.data<T>();
    const T* y = b.data<T>();
    int64_t count = 0;
    for (int64_t i = 0; i < a.num_elements(); ++i) count += x[i] == y[i];
    return count;
  });
}

}  // namespace lockstep::kernels
