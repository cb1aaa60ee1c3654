#include "reference/kernels/decay_weights.h"

#include <type_traits>

#include "reference/kernels/check_update.h"
#include "reference/kernels/optimizer_math.h"

namespace lockstep::kernels {

void DecayWeights(Tensor& variable, double factor) {
  CheckHostStep("DecayWeights", variable);
  VisitDType(variable.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      T* data = variable.mutable_data<T>();
      for (int64_t i = 0; i < variable.num_elements(); ++i) {
        kernels_internal::DecayStep(factor, data[i]);
      }
    }
  });
}

void DecayWeights(std::span<Tensor* const> variables, double decay,
                  const GpuStep& step) {
  if (variables.empty()) return;
  const Tensor& first = *variables[0];
  for (const Tensor* variable : variables) {
    kernels_internal::CheckUpdate("DecayWeights", first, *variable, {});
  }
  CheckGpuStep("DecayWeights", first, step);
  gpu::DecayWeights(variables, decay, step);
}

}  // namespace lockstep::kernels
