#include "reference/kernels/rms_prop_update.h"

#include "reference/kernels/check_update.h"
#include "reference/kernels/cpu/optimizer_loops.h"
#include "reference/kernels/optimizer_math.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

void CheckItems(std::span<const RmsPropItem> items) {
  for (const RmsPropItem& item : items) {
    kernels_internal::CheckUpdate("RmsPropUpdate", *items[0].variable,
                                  *item.variable,
                                  {item.gradient, item.velocity});
  }
}

}  // namespace

void RmsPropUpdate(std::span<const RmsPropItem> items,
                   const RmsPropOptions& options) {
  if (items.empty()) return;
  CheckItems(items);
  CheckHostStep("RmsPropUpdate", *items[0].variable);
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    kernels_internal::ForEachPiece(
        items, [&](const RmsPropItem& item, int64_t begin, int64_t end) {
          T* variable = item.variable->mutable_data<T>();
          const T* gradient = item.gradient->data<T>();
          T* velocity = item.velocity->mutable_data<T>();
          for (int64_t i = begin; i < end; ++i) {
            kernels_internal::RmsPropStep(options.learning_rate, options.rho,
                                          options.epsilon, gradient[i],
                                          variable[i], velocity[i]);
          }
        });
  });
}

void RmsPropUpdate(std::span<const RmsPropItem> items,
                   const RmsPropOptions& options, const GpuStep& step) {
  if (items.empty()) return;
  CheckItems(items);
  CheckGpuStep("RmsPropUpdate", *items[0].variable, step);
  gpu::RmsPropUpdate(items, options, step);
}

}  // namespace lockstep::kernels
