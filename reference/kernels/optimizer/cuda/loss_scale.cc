// GPU versions of loss_scale.h.

#include "reference/kernels/optimizer/loss_scale.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/optimizer/cuda/loss_scale_launch.h"
#include "reference/kernels/optimizer/cuda/variable_list.h"

namespace lockstep::kernels {
namespace {

template <typename T>
void Find(const std::vector<Tensor>& tensors, Tensor& finite) {
  std::vector<const Tensor*> those;
  for (const Tensor& tensor : tensors) {
    if (tensor.dtype() == kDTypeOf<T>) those.push_back(&tensor);
  }
  const auto entry = [](const Tensor* tensor) {
    return typename cuda::VariableList<T>::Item{
        nullptr, tensor->data<T>(), nullptr, nullptr, tensor->num_elements()};
  };
  cuda::InLists<T>(those, entry, [&](const cuda::VariableList<T>& list) {
    CheckCuda(cuda::FindNonFinite(list, finite.mutable_data<bool>(),
                                  StreamOf(finite.device())),
              "[AllFinite] launch");
  });
}

Tensor AllFiniteOnGpu(const std::vector<Tensor>& tensors) {
  Tensor finite = Tensor::Scalar(true, tensors[0].device());
  Find<float>(tensors, finite);
  Find<double>(tensors, finite);
  return finite;
}

void UpdateLossScaleOnGpu(const Tensor& finite, int64_t growth_steps,
                          Tensor& scale, Tensor& finite_steps) {
  CheckCuda(cuda::UpdateLossScale(finite.data<bool>(), growth_steps,
                                  scale.mutable_data<float>(),
                                  finite_steps.mutable_data<int64_t>(),
                                  StreamOf(finite.device())),
            "[UpdateLossScale] launch");
}

const RegisterKernel all_finite(gpu::AllFinite, &AllFiniteOnGpu);
const RegisterKernel update_loss_scale(gpu::UpdateLossScale,
                                       &UpdateLossScaleOnGpu);

}  // namespace

}  // namespace lockstep::kernels
