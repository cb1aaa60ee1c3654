#include "reference/kernels/sgd_update.h"

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/optimizer_loops.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

void CheckItem(const SgdItem& item, DType dtype, bool with_velocity) {
  kernels_internal::CheckFloating("SgdUpdate", "variable", *item.variable);
  kernels_internal::CheckDType("SgdUpdate", "variable", *item.variable, dtype);
  kernels_internal::CheckAlike("SgdUpdate", *item.variable, *item.gradient);
  OnGpu("SgdUpdate", *item.variable, *item.gradient);
  if (!with_velocity) return;
  if (item.velocity == nullptr) {
    throw InvalidArgument("[SgdUpdate] momentum wants a velocity for {}",
                          Describe(*item.variable));
  }
  kernels_internal::CheckAlike("SgdUpdate", *item.variable, *item.velocity);
  OnGpu("SgdUpdate", *item.variable, *item.velocity);
}

void CheckItems(std::span<const SgdItem> items, const SgdOptions& options) {
  const Tensor& first = *items[0].variable;
  for (const SgdItem& item : items) {
    CheckItem(item, first.dtype(), options.momentum != 0);
    OnGpu("SgdUpdate", first, *item.variable);
  }
}

}  // namespace

void SgdUpdate(std::span<const SgdItem> items, const SgdOptions& options) {
  if (items.empty()) return;
  CheckItems(items, options);
  CheckHostStep("SgdUpdate", *items[0].variable);
  const bool with_velocity = options.momentum != 0;
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    const kernels_internal::SgdConstants<T> constants{
        static_cast<T>(options.learning_rate), static_cast<T>(options.momentum),
        options.nesterov};
    kernels_internal::ForEachPiece(items, [&](const SgdItem& item,
                                              int64_t begin, int64_t end) {
      kernels_internal::SgdLoop(
          constants, item.gradient->data<T>() + begin,
          item.variable->mutable_data<T>() + begin,
          with_velocity ? item.velocity->mutable_data<T>() + begin : nullptr,
          end - begin);
    });
  });
}

void SgdUpdate(std::span<const SgdItem> items, const SgdOptions& options,
               const GpuStep& step) {
  if (items.empty()) return;
  CheckItems(items, options);
  CheckGpuStep("SgdUpdate", *items[0].variable, step);
  gpu::SgdUpdate(items, options, step);
}

}  // namespace lockstep::kernels
