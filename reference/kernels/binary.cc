#include "reference/kernels/binary.h"

#include <algorithm>
#include <string_view>

#include "reference/base/thread_team.h"
#include "reference/kernels/broadcast_shape.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/binary.h"
#include "reference/kernels/cpu/broadcast_plan.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"
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

// The host's loops take bfloat16 as it is.
bool IsWidened(const Tensor& a, const Tensor& b) {
  if (!IsNarrowFloat(a.dtype())) return false;
  return a.dtype() != DType::kBFloat16 || b.dtype() != a.dtype() ||
         !a.on_host() || !b.on_host();
}

using GpuKernel = DeviceKernel<Tensor(const Tensor&, const Tensor&)>;

Tensor Binary(std::string_view name, BinaryOp op, const GpuKernel& on_gpu,
              const Tensor& a, const Tensor& b) {
  if (IsWidened(a, b)) {
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

}  // namespace lockstep::kernels
