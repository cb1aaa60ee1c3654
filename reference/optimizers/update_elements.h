// The loop of optimizers with one kind of state and a formula an element.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_UPDATE_ELEMENTS_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_UPDATE_ELEMENTS_H_

#include <type_traits>

#include "reference/base/error.h"
#include "reference/base/thread_team.h"
#include "reference/tensor/change_on_host.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// Calls update(variable, gradient, state) for the elements of three tensors of
// one shape, in place for the first and the last. The team's size does not
// change the result. Errors: InvalidArgument unless float32 or float64.
template <typename Update>
void UpdateElements(Tensor& variable, const Tensor& gradient, Tensor& state,
                    const Update& update) {
  constexpr int64_t kGrain = 4096;
  VisitDType(variable.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      const Tensor step = gradient.ToHost();
      ChangeOnHost(variable, [&](Tensor& weights) {
        ChangeOnHost(state, [&](Tensor& states) {
          T* v = weights.mutable_data<T>();
          const T* g = step.data<T>();
          T* s = states.mutable_data<T>();
          ParallelFor(weights.num_elements(), kGrain,
                      [&](int64_t begin, int64_t end, int) {
                        for (int64_t i = begin; i < end; ++i) {
                          update(v[i], g[i], s[i]);
                        }
                      });
        });
      });
    } else {
      throw InvalidArgument(
          "[ApplyGradients] trained variables are float, got {}",
          Describe(variable));
    }
  });
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_UPDATE_ELEMENTS_H_
