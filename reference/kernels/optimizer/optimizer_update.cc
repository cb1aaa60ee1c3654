#include "reference/kernels/optimizer/optimizer_update.h"

#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/optimizer/optimizer_loops.h"
#include "reference/kernels/optimizer/optimizer_math.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// What the kernels that update variables ask of each of a list.
// Errors: InvalidArgument unless `variable` is float32 or float64, of the type
// and on the device of the list's `first`, and `others`, its gradient and
// state, are like it and there too; nullptr among them is none.
void CheckUpdate(std::string_view operation, const Tensor& first,
                 const Tensor& variable,
                 std::initializer_list<const Tensor*> others);

void CheckUpdate(std::string_view operation, const Tensor& first,
                 const Tensor& variable,
                 std::initializer_list<const Tensor*> others) {
  CheckFloating(operation, "variable", variable);
  CheckDType(operation, "variable", variable, first.dtype());
  kernels::OnGpu(operation, first, variable);
  for (const Tensor* other : others) {
    if (other == nullptr) continue;
    CheckAlike(operation, variable, *other);
    kernels::OnGpu(operation, first, *other);
  }
}

}  // namespace lockstep::kernels_internal

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
