#include "reference/kernels/cuda/engine_plan.h"

#include <utility>

namespace lockstep::cuda {

std::unique_ptr<EnginePlan> EnginePlan::Make(cudnnHandle_t handle,
                                             BackendDescriptor config) {
  BackendDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle);
  plan.Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  if (!plan.TryFinish()) return nullptr;
  return std::unique_ptr<EnginePlan>(
      new EnginePlan(std::move(config), std::move(plan)));
}

EnginePlan::EnginePlan(BackendDescriptor config, BackendDescriptor plan)
    : config_(std::move(config)),
      plan_(std::move(plan)),
      workspace_bytes_(
          plan_.GetNumber(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE)) {}

void EnginePlan::Run(cudnnHandle_t handle, const GraphTensors& tensors,
                     void* workspace) const {
  BackendDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.SetPointers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, tensors.pointers);
  pack.SetNumbers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, tensors.ids);
  pack.Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace);
  pack.Finish();
  CheckCudnn(cudnnBackendExecute(handle, plan_.get(), pack.get()),
             "[Conv2D] execute");
}

}  // namespace lockstep::cuda
