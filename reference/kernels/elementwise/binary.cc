#include "reference/kernels/elementwise/binary.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/kernels/broadcast_plan.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/elementwise/elementwise_loops.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::BinaryOp;
using kernels_internal::BinaryRow;
using kernels_internal::BroadcastPlan;

constexpr int64_t kGrain = 16384;  // elements worth waking a thread for

template <typename T>
void Run(BinaryOp op, const BroadcastPlan& plan, const T* a, const T* b,
         T* out) {
  const int64_t columns = plan.columns();
  if (plan.rows() == 1) {
    ParallelFor(columns, kGrain, [&](int64_t begin, int64_t end, int) {
      BinaryRow(op, a + begin * plan.a_stride(), plan.a_stride(),
                b + begin * plan.b_stride(), plan.b_stride(), out + begin,
                end - begin);
    });
    return;
  }
  const int64_t grain = kGrain / std::max<int64_t>(columns, 1) + 1;
  ParallelFor(plan.rows(), grain, [&](int64_t begin, int64_t end, int) {
    plan.ForRows(begin, end, [&](int64_t row, int64_t i, int64_t j) {
      BinaryRow(op, a + i, plan.a_stride(), b + j, plan.b_stride(),
                out + row * columns, columns);
    });
  });
}

using GpuKernel = DeviceKernel<Tensor(const Tensor&, const Tensor&)>;

Tensor Binary(std::string_view name, BinaryOp op, const GpuKernel& on_gpu,
              const Tensor& a, const Tensor& b) {
  if (kernels_internal::IsWidened(a, b)) {
    const auto wide = [&](const Tensor& p, const Tensor& q) {
      return Binary(name, op, on_gpu, p, q);
    };
    return kernels_internal::InFloat32(name, a, wide, a, b);
  }
  if (a.dtype() != DType::kBFloat16) {
    kernels_internal::CheckArithmetic(name, "the left side", a);
  }
  kernels_internal::CheckDType(name, "the right side", b, a.dtype());
  const Shape shape = BroadcastShape(name, a.shape(), b.shape());
  if (OnGpu(name, a, b)) return on_gpu(a, b);
  Tensor out = EmptyOnHost(shape, a.dtype());
  if (out.num_elements() == 0) return out;
  const BroadcastPlan plan(shape, a.shape(), b.shape());
  const auto run = [&]<typename T>() {
    Run(op, plan, a.data<T>(), b.data<T>(), out.mutable_data<T>());
  };
  if (a.dtype() == DType::kBFloat16) {
    run.template operator()<BFloat16>();
  } else {
    kernels_internal::VisitArithmetic(a.dtype(), run);
  }
  return out;
}

}  // namespace

Tensor Add(const Tensor& a, const Tensor& b) {
  return Binary("Add", BinaryOp::kAdd, gpu::Add, a, b);
}

Tensor Subtract(const Tensor& a, const Tensor& b) {
  return Binary("Subtract", BinaryOp::kSubtract, gpu::Subtract, a, b);
}

Tensor Multiply(const Tensor& a, const Tensor& b) {
  return Binary("Multiply", BinaryOp::kMultiply, gpu::Multiply, a, b);
}

Tensor Divide(const Tensor& a, const Tensor& b) {
  if (IsNarrowFloat(a.dtype()))
    return Binary("Divide", BinaryOp::kDivide, gpu::Divide, a, b);
  kernels_internal::CheckArithmetic("Divide", "the left side", a);
  kernels_internal::CheckDType("Divide", "the right side", b, a.dtype());
  if (IsFloating(a.dtype()))
    return Binary("Divide", BinaryOp::kDivide, gpu::Divide, a, b);
  return Divide(a.Cast(DType::kFloat64), b.Cast(DType::kFloat64));
}

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

Tensor Equal(const Tensor& a, const Tensor& b) {
  kernels_internal::CheckSameTypeAndShape("Equal", a, b);
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

}  // namespace lockstep::kernels
