#include "reference/optimizers/clip_gradients.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/tensor/change_on_host.h"

namespace lockstep {
namespace {

// A new tensor of function(element) for each element.
template <typename Function>
Tensor Transformed(const Tensor& x, const Function& function) {
  const Tensor from = x.ToHost();
  Tensor result = Tensor::Empty(x.shape(), x.dtype(), from.device());
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      std::ranges::transform(from.span<T>(), result.mutable_data<T>(),
                             function);
    } else {
      throw InvalidArgument("[Clip] gradients have float elements, got {}",
                            Describe(x));
    }
  });
  return result.To(x.device());
}

double SquaredLength(const Tensor& x) {
  const Tensor from = x.ToHost();
  double sum = 0;
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      for (T element : from.span<T>()) sum += double{element} * double{element};
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
  for (Tensor& gradient : gradients) {
    const double length = std::sqrt(SquaredLength(gradient));
    if (length > norm) gradient = Scaled(gradient, norm / length);
  }
}

void ClipByGlobalNorm(std::vector<Tensor>& gradients, double norm) {
  double squared = 0;
  for (const Tensor& gradient : gradients) squared += SquaredLength(gradient);
  const double length = std::sqrt(squared);
  if (length <= norm) return;
  for (Tensor& gradient : gradients) {
    gradient = Scaled(gradient, norm / length);
  }
}

void ClipByValue(std::vector<Tensor>& gradients, double value) {
  for (Tensor& gradient : gradients) {
    gradient = Transformed(gradient, [value]<typename T>(T element) {
      return std::clamp(element, static_cast<T>(-value), static_cast<T>(value));
    });
  }
}

void DecayWeights(Tensor& variable, double factor) {
  VisitDType(variable.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      ChangeOnHost(variable, [factor](Tensor& changed) {
        T* data = changed.mutable_data<T>();
        for (int64_t i = 0; i < changed.num_elements(); ++i) {
          data[i] -= static_cast<T>(data[i] * factor);
        }
      });
    }
  });
}

}  // namespace lockstep
