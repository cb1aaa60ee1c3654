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

namespace lockstep::kernels {
namespace {

// Errors: InvalidArgument unless `variable` is float32 or float64, has the type
// and device of the list's `first`, and `others`, its gradient and state, have
// its type, shape and device. A nullptr among them is skipped.
void CheckUpdate(std::string_view operation, const Tensor& first,
                 const Tensor& variable,
                 std::initializer_list<const Tensor*> others) {
  kernels_internal::CheckFloating(operation, "variable", variable);
  kernels_internal::CheckDType(operation, "variable", variable, first.dtype());
  OnGpu(operation, first, variable);
  for (const Tensor* other : others) {
    if (other == nullptr) continue;
    kernels_internal::CheckSameTypeAndShape(operation, variable, *other);
    OnGpu(operation, first, *other);
  }
}

void CheckScalar(std::string_view operation, std::string_view name,
                 const Tensor& scalar, DType dtype) {
  kernels_internal::CheckDType(operation, name, scalar, dtype);
  kernels_internal::CheckShape(operation, name, scalar, Shape{});
}

// Errors: InvalidArgument unless the step's scalars have the types that
// StepScalars states and are on the variable's device.
bool IsOnGpu(std::string_view operation, const Tensor& variable,
             const StepScalars& step) {
  CheckScalar(operation, "learning_rate", step.learning_rate, DType::kFloat64);
  CheckScalar(operation, "iterations", step.iterations, DType::kInt64);
  if (step.taken.defined()) {
    CheckScalar(operation, "taken", step.taken, DType::kBool);
  }
  return OnGpu(operation, variable, step.learning_rate, step.iterations,
               step.taken);
}

// REQUIRES: the step's scalars are on the host.
bool IsTaken(const Tensor& taken) {
  return !taken.defined() || taken.item<bool>();
}

void CheckItems(std::span<const SgdItem> items, const SgdOptions& options) {
  const bool with_velocity = options.momentum != 0;
  for (const SgdItem& item : items) {
    if (with_velocity && item.velocity == nullptr) {
      throw InvalidArgument("[SgdUpdate] momentum needs a velocity for {}",
                            Describe(*item.variable));
    }
    CheckUpdate("SgdUpdate", *items[0].variable, *item.variable,
                {item.gradient, with_velocity ? item.velocity : nullptr});
  }
}

}  // namespace

void SgdUpdate(std::span<const SgdItem> items, const SgdOptions& options,
               const StepScalars& step) {
  if (items.empty()) return;
  CheckItems(items, options);
  if (IsOnGpu("SgdUpdate", *items[0].variable, step)) {
    return gpu::SgdUpdate(items, options, step);
  }
  if (!IsTaken(step.taken)) return;
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
    CheckUpdate("AdamUpdate", *items[0].variable, *item.variable,
                {item.gradient, item.momentum, item.velocity});
  }
}

}  // namespace

void AdamUpdate(std::span<const AdamItem> items, const AdamOptions& options,
                const StepScalars& step) {
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
  if (!IsTaken(step.taken)) return;
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
    CheckUpdate("AdagradUpdate", *items[0].variable, *item.variable,
                {item.gradient, item.accumulator});
  }
}

}  // namespace

void AdagradUpdate(std::span<const AdagradItem> items,
                   const AdagradOptions& options, const StepScalars& step) {
  if (items.empty()) return;
  CheckItems(items);
  if (IsOnGpu("AdagradUpdate", *items[0].variable, step)) {
    return gpu::AdagradUpdate(items, options, step);
  }
  if (!IsTaken(step.taken)) return;
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
    CheckUpdate("RmsPropUpdate", *items[0].variable, *item.variable,
                {item.gradient, item.velocity});
  }
}

}  // namespace

void RmsPropUpdate(std::span<const RmsPropItem> items,
                   const RmsPropOptions& options, const StepScalars& step) {
  if (items.empty()) return;
  CheckItems(items);
  if (IsOnGpu("RmsPropUpdate", *items[0].variable, step)) {
    return gpu::RmsPropUpdate(items, options, step);
  }
  if (!IsTaken(step.taken)) return;
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
                  const StepScalars& step) {
  if (variables.empty()) return;
  const Tensor& first = *variables[0];
  for (const Tensor* variable : variables) {
    CheckUpdate("DecayWeights", first, *variable, {});
  }
  if (IsOnGpu("DecayWeights", first, step)) {
    return gpu::DecayWeights(variables, decay, step);
  }
  if (!IsTaken(step.taken)) return;
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

// Returns whether they are on a GPU.
bool CheckAverages(std::span<const AverageItem> items, const Tensor& steps,
                   const Tensor& taken) {
  constexpr char kName[] = "AverageWeights";
  const Tensor& first = *items[0].variable;
  for (const AverageItem& item : items) {
    CheckUpdate(kName, first, *item.variable, {item.average});
  }
  CheckScalar(kName, "steps", steps, DType::kInt64);
  if (taken.defined()) CheckScalar(kName, "taken", taken, DType::kBool);
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
  if (!IsTaken(taken)) return;
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
