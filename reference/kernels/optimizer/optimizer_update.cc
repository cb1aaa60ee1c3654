#include "reference/kernels/optimizer/optimizer_update.h"

#include <initializer_list>
#include <string_view>

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

void SgdUpdate(std::span<const SgdItem> items, const SgdOptions& options,
               const TrainingStep& step) {
  if (items.empty()) return;
  CheckItems(items, options);
  if (IsOnGpu("SgdUpdate", *items[0].variable, step)) {
    return gpu::SgdUpdate(items, options, step);
  }
  if (!IsTaken(step)) return;
  const double learning_rate = step.learning_rate.item<double>();
  const bool with_velocity = options.momentum != 0;
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    const kernels_internal::SgdConstants<T> constants{
        static_cast<T>(learning_rate), static_cast<T>(options.momentum),
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
                const TrainingStep& step) {
  if (items.empty()) return;
  CheckItems(items);
  if (IsOnGpu("AdamUpdate", *items[0].variable, step)) {
    return gpu::AdamUpdate(items, options, step);
  }
  const int64_t number = step.iterations.item<int64_t>() + 1;
  if (number < 1) {
    throw InvalidArgument("[AdamUpdate] iterations count from 0, got {}",
                          number - 1);
  }
  if (!IsTaken(step)) return;
  const double learning_rate = step.learning_rate.item<double>();
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    const auto constants =
        kernels_internal::MakeAdamConstants<T>(options, learning_rate, number);
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
                   const AdagradOptions& options, const TrainingStep& step) {
  if (items.empty()) return;
  CheckItems(items);
  if (IsOnGpu("AdagradUpdate", *items[0].variable, step)) {
    return gpu::AdagradUpdate(items, options, step);
  }
  if (!IsTaken(step)) return;
  const double learning_rate = step.learning_rate.item<double>();
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    kernels_internal::ForEachPiece(items, [&](const AdagradItem& item,
                                              int64_t begin, int64_t end) {
      T* variable = item.variable->mutable_data<T>();
      const T* gradient = item.gradient->data<T>();
      T* accumulator = item.accumulator->mutable_data<T>();
      for (int64_t i = begin; i < end; ++i) {
        kernels_internal::AdagradStep(learning_rate, options.epsilon,
                                      gradient[i], variable[i], accumulator[i]);
      }
    });
  });
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
                   const RmsPropOptions& options, const TrainingStep& step) {
  if (items.empty()) return;
  CheckItems(items);
  if (IsOnGpu("RmsPropUpdate", *items[0].variable, step)) {
    return gpu::RmsPropUpdate(items, options, step);
  }
  if (!IsTaken(step)) return;
  const double learning_rate = step.learning_rate.item<double>();
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    kernels_internal::ForEachPiece(
        items, [&](const RmsPropItem& item, int64_t begin, int64_t end) {
          T* variable = item.variable->mutable_data<T>();
          const T* gradient = item.gradient->data<T>();
          T* velocity = item.velocity->mutable_data<T>();
          for (int64_t i = begin; i < end; ++i) {
            kernels_internal::RmsPropStep(learning_rate, options.rho,
                                          options.epsilon, gradient[i],
                                          variable[i], velocity[i]);
          }
        });
  });
}

void DecayWeights(std::span<Tensor* const> variables, double decay,
                  const TrainingStep& step) {
  if (variables.empty()) return;
  const Tensor& first = *variables[0];
  for (const Tensor* variable : variables) {
    kernels_internal::CheckUpdate("DecayWeights", first, *variable, {});
  }
  if (IsOnGpu("DecayWeights", first, step)) {
    return gpu::DecayWeights(variables, decay, step);
  }
  if (!IsTaken(step)) return;
  const double factor = decay * step.learning_rate.item<double>();
  kernels_internal::VisitFloating(first.dtype(), [&]<typename T>() {
    for (Tensor* variable : variables) {
      T* data = variable->mutable_data<T>();
      for (int64_t i = 0; i < variable->num_elements(); ++i) {
        kernels_internal::DecayStep(factor, data[i]);
      }
    }
  });
}

namespace {

// Whether they lie on a GPU.
bool CheckAverages(std::span<const AverageItem> items, const Tensor& steps,
                   const Tensor& taken) {
  constexpr char kName[] = "AverageWeights";
  const Tensor& first = *items[0].variable;
  for (const AverageItem& item : items) {
    kernels_internal::CheckUpdate(kName, first, *item.variable, {item.average});
  }
  kernels_internal::CheckDType(kName, "steps", steps, DType::kInt64);
  kernels_internal::CheckShape(kName, "steps", steps, Shape{});
  if (taken.defined()) {
    kernels_internal::CheckDType(kName, "taken", taken, DType::kBool);
    kernels_internal::CheckShape(kName, "taken", taken, Shape{});
  }
  return OnGpu(kName, first, steps, taken);
}

}  // namespace

void AverageWeights(std::span<const AverageItem> items,
                    const AverageOptions& options, const Tensor& steps,
                    const Tensor& taken) {
  if (items.empty()) return;
  if (CheckAverages(items, steps, taken)) {
    return gpu::AverageWeights(items, options, steps, taken);
  }
  if (taken.defined() && !taken.item<bool>()) return;
  const kernels_internal::AveragePlan plan(
      options.momentum, options.overwrite_frequency, steps.item<int64_t>());
  const DType dtype = items[0].variable->dtype();
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    kernels_internal::ForEachPiece(
        items, [&](const AverageItem& item, int64_t begin, int64_t end) {
          T* variable = item.variable->mutable_data<T>();
          T* average = item.average->mutable_data<T>();
          for (int64_t i = begin; i < end; ++i) {
            kernels_internal::AverageStep(plan, variable[i], average[i]);
          }
        });
  });
}

}  // namespace lockstep::kernels
