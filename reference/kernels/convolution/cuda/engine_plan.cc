#include "reference/kernels/convolution/cuda/engine_plan.h"

#include <utility>

namespace lockstep::cuda {

std::optional<BackendDescriptor> EngineOf(const BackendDescriptor& config) {
  std::optional<BackendDescriptor> engine(std::in_place,
                                          CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t raw = engine->get();
  int64_t count = 0;
  if (!Succeeded(cudnnBackendGetAttribute(
                     config.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw),
                 "[Conv2D] engine")) {
    engine.reset();
  }
  return engine;
}

EnginePlan::EnginePlan(cudnnHandle_t handle, BackendDescriptor config)
    : config_(std::move(config)),
      plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
  plan_.Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle);
  plan_.Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config_);
  plan_.Finish();
  workspace_bytes_ = plan_.GetNumber(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  if (const auto engine = EngineOf(config_)) {
    int64_t count = 0;
    const bool told = Succeeded(
        cudnnBackendGetAttribute(engine->get(), CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
                                 CUDNN_TYPE_INT64, 1, &count, &engine_),
        "[Conv2D] engine's number");
    if (!told || count < 1) engine_ = -1;
  }
}

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
