#include "reference/kernels/softmax.h"

#include "reference/base/error.h"
#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/softmax_row.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

// Calls body(offset of the row) for every row of the last axis.
template <class Body>
void ForEachRow(const Tensor& x, const Body& body) {
  const int64_t columns = x.dim(x.rank() - 1);
  if (x.num_elements() == 0) return;
  ParallelFor(x.num_elements() / columns,
              kernels_internal::SoftmaxGrain(columns),
              [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i) body(i * columns);
              });
}

void CheckVector(const Tensor& x) {
  kernels_internal::CheckFloating("Softmax", "x", x);
  if (x.rank() == 0) {
    throw InvalidArgument("[Softmax] x must have an axis, got {}", Describe(x));
  }
}

}  // namespace

Tensor Softmax(const Tensor& x) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("Softmax", x, Softmax, x);
  }
  CheckVector(x);
  if (OnGpu("Softmax", x)) return gpu::Softmax(x);
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    ForEachRow(x, [&](int64_t row) {
      kernels_internal::SoftmaxRow(from + row, to + row, x.dim(x.rank() - 1));
    });
  });
  return y;
}

Tensor SoftmaxBackward(const Tensor& y, const Tensor& dy) {
  if (IsNarrowFloat(y.dtype())) {
    return kernels_internal::InFloat32("SoftmaxBackward", y, SoftmaxBackward, y,
                                       dy);
  }
  CheckVector(y);
  kernels_internal::CheckAlike("SoftmaxBackward", y, dy);
  if (OnGpu("SoftmaxBackward", y, dy)) return gpu::SoftmaxBackward(y, dy);
  Tensor dx = EmptyOnHost(y.shape(), y.dtype());
  const int64_t columns = y.dim(y.rank() - 1);
  kernels_internal::VisitFloating(y.dtype(), [&]<typename T>() {
    const T* out = y.data<T>();
    const T* from = dy.data<T>();
    T* to = dx.mutable_data<T>();
    ForEachRow(y, [&](int64_t row) {
      double dot = 0;
      for (int64_t i = row; i < row + columns; ++i) {
        dot += static_cast<double>(out[i]) * from[i];
      }
      for (int64_t i = row; i < row + columns; ++i) {
        to[i] = out[i] * (from[i] - static_cast<T>(dot));
      }
    });
  });
  return dx;
}

}  // namespace lockstep::kernels
