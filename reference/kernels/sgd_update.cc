#include "reference/kernels/sgd_update.h"

#include "reference/base/error.h"
#include "reference/kernels/check_update.h"
#include "reference/kernels/cpu/optimizer_loops.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

void CheckItems(std::span<const SgdItem> items, const SgdOptions& options) {
  const bool with_velocity = options.momentum != 0;
  for (const SgdItem& item : items) {
    if (with_velocity && item.velocity == nullptr) {
      throw InvalidArgument("[SgdUpdate] momentum wants a velocity for {}",
                            Describe(*item.variable));
    }
    kernels_internal::CheckUpdate(
        "SgdUpdate", *items[0].variable, *item.variable,
        {item.gradient, with_velocity ? item.velocity : nullptr});
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
