#include "reference/kernels/gpu_step.h"

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"

namespace lockstep::kernels {
namespace {

void CheckNumber(std::string_view operation, std::string_view name,
                 const Tensor& number, DType dtype) {
  kernels_internal::CheckDType(operation, name, number, dtype);
  kernels_internal::CheckShape(operation, name, number, Shape{});
}

}  // namespace

void CheckGpuStep(std::string_view operation, const Tensor& variable,
                  const GpuStep& step) {
  CheckNumber(operation, "learning_rate", step.learning_rate, DType::kFloat64);
  CheckNumber(operation, "iterations", step.iterations, DType::kInt64);
  if (step.taken.defined()) {
    CheckNumber(operation, "taken", step.taken, DType::kBool);
  }
  if (OnGpu(operation, variable, step.learning_rate, step.iterations,
            step.taken)) {
    return;
  }
  throw InvalidArgument("[{}] a GPU's step wants variables on a GPU, got {}",
                        operation, variable.device().name());
}

void CheckHostStep(std::string_view operation, const Tensor& variable) {
  if (variable.on_host()) return;
  throw InvalidArgument("[{}] variables on {} want their step's numbers there",
                        operation, variable.device().name());
}

}  // namespace lockstep::kernels
