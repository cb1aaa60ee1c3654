#include "reference/kernels/broadcast_to.h"

#include <algorithm>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/kernels/broadcast_shape.h"
#include "reference/kernels/cpu/broadcast_plan.h"
#include "reference/kernels/device_kernel.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {

Tensor BroadcastTo(const Tensor& tensor, const Shape& shape) {
  if (!tensor.defined() || tensor.dtype() == DType::kString ||
      BroadcastShape("BroadcastTo", tensor.shape(), shape) != shape) {
    throw InvalidArgument("[BroadcastTo] {} does not broadcast to {}",
                          Describe(tensor), ToString(shape));
  }
  if (OnGpu("BroadcastTo", tensor)) return gpu::BroadcastTo(tensor, shape);
  Tensor out = EmptyOnHost(shape, tensor.dtype());
  if (out.num_elements() == 0) return out;
  const kernels_internal::BroadcastPlan plan(shape, tensor.shape(), Shape{});
  VisitDType(tensor.dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, std::string>) {
      const T* from = tensor.data<T>();
      T* to = out.mutable_data<T>();
      plan.ForRows(0, plan.rows(), [&](int64_t row, int64_t offset, int64_t) {
        T* row_out = to + row * plan.columns();
        if (plan.a_stride() == 0) {
          std::fill_n(row_out, plan.columns(), from[offset]);
        } else {
          std::copy_n(from + offset, plan.columns(), row_out);
        }
      });
    }
  });
  return out;
}

}  // namespace lockstep::kernels
