// The GPU versions of sgd_update.h and adam_update.h.
#include "reference/base/check.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/adam_constants.h"
#include "reference/kernels/adam_update.h"
#include "reference/kernels/cuda/optimizer_launch.h"
#include "reference/kernels/sgd_update.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

// Hands all items over in as few lists as possible: launch(list).
template <typename T, class Items, class Convert, class Launch>
void InLists(const Items& items, const Convert& convert, const Launch& launch) {
  cuda::VariableList<T> list;
  for (const auto& item : items) {
    if (list.Append(convert(item))) continue;
    launch(list);
    list = {};
    LOCKSTEP_CHECK(list.Append(convert(item)));
  }
  launch(list);
}

void SgdOnGpu(std::span<const SgdItem> items, const SgdOptions& options) {
  const Tensor& first = *items[0].variable;
  kernels_internal::VisitFloating(first.dtype(), [&]<typename T>() {
    const kernels_internal::SgdConstants<T> constants{
        static_cast<T>(options.learning_rate), static_cast<T>(options.momentum),
        options.nesterov};
    const auto convert = [&](const SgdItem& item) {
      T* velocity =
          options.momentum != 0 ? item.velocity->mutable_data<T>() : nullptr;
      return typename cuda::VariableList<T>::Item{
          item.variable->mutable_data<T>(), item.gradient->data<T>(), velocity,
          nullptr, item.variable->num_elements()};
    };
    InLists<T>(items, convert, [&](const cuda::VariableList<T>& list) {
      CheckCuda(cuda::Sgd(list, constants, StreamOf(first.device())),
                "[SgdUpdate] launch");
    });
  });
}

void AdamOnGpu(std::span<const AdamItem> items, const AdamOptions& options,
               int64_t step) {
  const Tensor& first = *items[0].variable;
  kernels_internal::VisitFloating(first.dtype(), [&]<typename T>() {
    const auto constants =
        kernels_internal::MakeAdamConstants<T>(options, step);
    const auto convert = [](const AdamItem& item) {
      return typename cuda::VariableList<T>::Item{
          item.variable->mutable_data<T>(), item.gradient->data<T>(),
          item.momentum->mutable_data<T>(), item.velocity->mutable_data<T>(),
          item.variable->num_elements()};
    };
    InLists<T>(items, convert, [&](const cuda::VariableList<T>& list) {
      CheckCuda(cuda::Adam(list, constants, StreamOf(first.device())),
                "[AdamUpdate] launch");
    });
  });
}

const RegisterKernel sgd(gpu::SgdUpdate, &SgdOnGpu);
const RegisterKernel adam(gpu::AdamUpdate, &AdamOnGpu);

}  // namespace
}  // namespace lockstep::kernels
