#include "reference/kernels/adagrad_update.h"

#include "reference/kernels/check_update.h"
#include "reference/kernels/cpu/optimizer_loops.h"
#include "reference/kernels/optimizer_math.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

void CheckItems(std::span<const AdagradItem> items) {
  for (const AdagradItem& item : items) {
    kernels_internal::CheckUpdate("AdagradUpdate", *items[0].variable,
                                  *item.variable,
                                  {item.gradient, item.accumulator});
  }
}

}  // namespace

void AdagradUpdate(std::span<const AdagradItem> items,
                   const AdagradOptions& options) {
  if (items.empty()) return;
  CheckItems(items);
  CheckHostStep("AdagradUpdate", *items[0].variable);
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    kernels_internal::ForEachPiece(items, [&](const AdagradItem& item,
                                              int64_t begin, int64_t end) {
      T* variable = item.variable->mutable_data<T>();
      const T* gradient = item.gradient->data<T>();
      T* accumulator = item.accumulator->mutable_data<T>();
      for (int64_t i = begin; i < end; ++i) {
        kernels_internal::AdagradStep(options.learning_rate, options.epsilon,
                                      gradient[i], variable[i], accumulator[i]);
      }
    });
  });
}

void AdagradUpdate(std::span<const AdagradItem> items,
                   const AdagradOptions& options, const GpuStep& step) {
  if (items.empty()) return;
  CheckItems(items);
  CheckGpuStep("AdagradUpdate", *items[0].variable, step);
  gpu::AdagradUpdate(items, options, step);
}

}  // namespace lockstep::kernels
