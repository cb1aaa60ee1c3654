#include "reference/kernels/optimizer/clip_gradients.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/base/error.h"

namespace lockstep::kernels {
namespace {

// Errors: InvalidArgument for tensors of several devices.
bool AreOnGpu(const std::vector<Tensor>& gradients) {
  if (gradients.empty()) return false;
  for (const Tensor& gradient : gradients)
    OnGpu("Clip", gradients[0], gradient);
  return OnGpu("Clip", gradients[0]);
}

void CheckFloating(const Tensor& x) {
  if (x.dtype() == DType::kFloat32 || x.dtype() == DType::kFloat64) return;
  throw InvalidArgument("[Clip] gradients have float elements, got {}",
                        Describe(x));
}

// A new tensor of function(element) for each element.
template <typename Function>
Tensor Transformed(const Tensor& x, const Function& function) {
  CheckFloating(x);
  Tensor result = Tensor::Empty(x.shape(), x.dtype(), x.device());
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      std::ranges::transform(x.span<T>(), result.mutable_data<T>(), function);
    }
  });
  return result;
}

double SquaredLength(const Tensor& x) {
  double sum = 0;
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      for (T element : x.span<T>()) sum += double{element} * double{element};
    }
  });
  return sum;
}

Tensor Scaled(const Tensor& x, double factor) {
  return Transformed(x, [factor]<typename T>(T element) {
    return static_cast<T>(element * factor);
  });
}

}  // namespace

void ClipByNorm(std::vector<Tensor>& gradients, double norm) {
  if (AreOnGpu(gradients)) return gpu::ClipByNorm(gradients, norm);
  for (Tensor& gradient : gradients) {
    const double length = std::sqrt(SquaredLength(gradient));
    if (length > norm) gradient = Scaled(gradient, norm / length);
  }
}

void ClipByGlobalNorm(std::vector<Tensor>& gradients, double norm) {
  if (AreOnGpu(gradients)) return gpu::ClipByGlobalNorm(gradients, norm);
  double squared = 0;
  for (const Tensor& gradient : gradients) squared += SquaredLength(gradient);
  const double length = std::sqrt(squared);
  if (length <= norm) return;
  for (Tensor& gradient : gradients) {
    gradient = Scaled(gradient, norm / length);
  }
}

void ClipByValue(std::vector<Tensor>& gradients, double value) {
  for (const Tensor& gradient : gradients) CheckFloating(gradient);
  if (AreOnGpu(gradients)) return gpu::ClipByValue(gradients, value);
  for (Tensor& gradient : gradients) {
    gradient = Transformed(gradient, [value]<typename T>(T element) {
      return std::clamp(element, static_cast<T>(-value), static_cast<T>(value));
    });
  }
}

}  // namespace lockstep::kernels
