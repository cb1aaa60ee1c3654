#include "reference/kernels/adam_update.h"

#include "reference/base/error.h"
#include "reference/kernels/adam_constants.h"
#include "reference/kernels/check_update.h"
#include "reference/kernels/cpu/optimizer_loops.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

void CheckItems(std::span<const AdamItem> items) {
  for (const AdamItem& item : items) {
    kernels_internal::CheckUpdate(
        "AdamUpdate", *items[0].variable, *item.variable,
        {item.gradient, item.momentum, item.velocity});
  }
}

}  // namespace

void AdamUpdate(std::span<const AdamItem> items, const AdamOptions& options,
                int64_t step) {
  if (step < 1) {
    throw InvalidArgument("[AdamUpdate] step counts from 1, got {}", step);
  }
  if (items.empty()) return;
  CheckItems(items);
  CheckHostStep("AdamUpdate", *items[0].variable);
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    const auto constants =
        kernels_internal::MakeAdamConstants<T>(options, step);
    kernels_internal::ForEachPiece(
        items, [&](const AdamItem& item, int64_t begin, int64_t end) {
          kernels_internal::AdamLoop(
              constants, item.gradient->data<T>() + begin,
              item.variable->mutable_data<T>() + begin,
              item.momentum->mutable_data<T>() + begin,
              item.velocity->mutable_data<T>() + begin, end - begin);
        });
  });
}

void AdamUpdate(std::span<const AdamItem> items, const AdamOptions& options,
                const GpuStep& step) {
  if (items.empty()) return;
  CheckItems(items);
  CheckGpuStep("AdamUpdate", *items[0].variable, step);
  gpu::AdamUpdate(items, options, step);
}

}  // namespace lockstep::kernels
