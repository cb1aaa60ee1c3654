// GPU versions of optimizer_update.h.
#include "reference/kernels/optimizer/optimizer_update.h"

#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/optimizer/cuda/optimizer_update_launch.h"
#include "reference/kernels/optimizer/cuda/variable_list.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::AdamConstants;

cuda::StepNumbers NumbersOf(const StepScalars& step) {
  return {step.learning_rate.data<double>(), step.iterations.data<int64_t>(),
          step.taken.defined() ? step.taken.data<bool>() : nullptr};
}

// An item of a list; `first` and `second` may be nullptr.
template <typename T>
typename cuda::VariableList<T>::Item Entry(Tensor& variable,
                                           const Tensor& gradient,
                                           Tensor* first,
                                           Tensor* second = nullptr) {
  const auto data = [](Tensor* state) {
    return state == nullptr ? nullptr : state->mutable_data<T>();
  };
  return {variable.mutable_data<T>(), gradient.data<T>(), data(first),
          data(second), variable.num_elements()};
}

void SgdOnGpu(std::span<const SgdItem> items, const SgdOptions& options,
              const StepScalars& step) {
  const Tensor& first = *items[0].variable;
  kernels_internal::VisitFloating(first.dtype(), [&]<typename T>() {
    const auto entry = [&](const SgdItem& item) {
      return Entry<T>(*item.variable, *item.gradient,
                      options.momentum != 0 ? item.velocity : nullptr);
    };
    cuda::InLists<T>(items, entry, [&](const cuda::VariableList<T>& list) {
      CheckCuda(
          cuda::Sgd(list, static_cast<T>(options.momentum), options.nesterov,
                    NumbersOf(step), StreamOf(first.device())),
          "[SgdUpdate] launch");
    });
  });
}

void AdamOnGpu(std::span<const AdamItem> items, const AdamOptions& options,
               const StepScalars& step) {
  const Tensor& first = *items[0].variable;
  kernels_internal::VisitFloating(first.dtype(), [&]<typename T>() {
    const cudaStream_t stream = StreamOf(first.device());
    const BufferPtr memory =
        Buffer::Allocate(first.device(), sizeof(AdamConstants<T>));
    auto* constants = static_cast<AdamConstants<T>*>(memory->data());
    CheckCuda(cuda::PrepareAdam(options, NumbersOf(step), constants, stream),
              "[AdamUpdate] launch");
    const auto entry = [](const AdamItem& item) {
      return Entry<T>(*item.variable, *item.gradient, item.momentum,
                      item.velocity);
    };
    cuda::InLists<T>(items, entry, [&](const cuda::VariableList<T>& list) {
      CheckCuda(cuda::Adam(list, constants, NumbersOf(step), stream),
                "[AdamUpdate] launch");
    });
  });
}

void AdagradOnGpu(std::span<const AdagradItem> items,
                  const AdagradOptions& options, const StepScalars& step) {
  const Tensor& first = *items[0].variable;
  kernels_internal::VisitFloating(first.dtype(), [&]<typename T>() {
    const auto entry = [](const AdagradItem& item) {
      return Entry<T>(*item.variable, *item.gradient, item.accumulator);
    };
    cuda::InLists<T>(items, entry, [&](const cuda::VariableList<T>& list) {
      CheckCuda(cuda::Adagrad(list, options.epsilon, NumbersOf(step),
                              StreamOf(first.device())),
                "[AdagradUpdate] launch");
    });
  });
}

void RmsPropOnGpu(std::span<const RmsPropItem> items,
                  const RmsPropOptions& options, const StepScalars& step) {
  const Tensor& first = *items[0].variable;
  kernels_internal::VisitFloating(first.dtype(), [&]<typename T>() {
    const auto entry = [](const RmsPropItem& item) {
      return Entry<T>(*item.variable, *item.gradient, item.velocity);
    };
    cuda::InLists<T>(items, entry, [&](const cuda::VariableList<T>& list) {
      CheckCuda(cuda::RmsProp(list, options.rho, options.epsilon,
                              NumbersOf(step), StreamOf(first.device())),
                "[RmsPropUpdate] launch");
    });
  });
}

void DecayOnGpu(std::span<Tensor* const> variables, double decay,
                const StepScalars& step) {
  const Tensor& first = *variables[0];
  kernels_internal::VisitFloating(first.dtype(), [&]<typename T>() {
    const auto entry = [](Tensor* variable) {
      return Entry<T>(*variable, *variable, nullptr);
    };
    cuda::InLists<T>(variables, entry, [&](const cuda::VariableList<T>& list) {
      CheckCuda(cuda::DecayWeights(list, decay, NumbersOf(step),
                                   StreamOf(first.device())),
                "[DecayWeights] launch");
    });
  });
}

void AverageOnGpu(std::span<const AverageItem> items,
                  const AverageOptions& options, const Tensor& steps,
                  const Tensor& taken) {
  const Tensor& first = *items[0].variable;
  kernels_internal::VisitFloating(first.dtype(), [&]<typename T>() {
    const auto entry = [](const AverageItem& item) {
      return Entry<T>(*item.variable, *item.variable, item.average);
    };
    cuda::InLists<T>(items, entry, [&](const cuda::VariableList<T>& list) {
      CheckCuda(cuda::AverageWeights(
                    list, options.momentum, options.overwrite_frequency,
                    steps.data<int64_t>(),
                    taken.defined() ? taken.data<bool>() : nullptr,
                    StreamOf(first.device())),
                "[AverageWeights] launch");
    });
  });
}

const RegisterKernel sgd(gpu::SgdUpdate, &SgdOnGpu);
const RegisterKernel adam(gpu::AdamUpdate, &AdamOnGpu);
const RegisterKernel adagrad(gpu::AdagradUpdate, &AdagradOnGpu);
const RegisterKernel rms_prop(gpu::RmsPropUpdate, &RmsPropOnGpu);
const RegisterKernel decay_weights(gpu::DecayWeights, &DecayOnGpu);
const RegisterKernel average_weights(gpu::AverageWeights, &AverageOnGpu);

}  // namespace
}  // namespace lockstep::kernels
