// Descriptors of cuDNN's graph API, and execution plans: engines prepared to
// run a graph.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_ENGINE_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_ENGINE_PLAN_H_

#include <cudnn.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "reference/kernels/convolution/cuda/cudnn_handle.h"

namespace lockstep::cuda {

// A descriptor: set its attributes, then finish it.
//
//   BackendDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
//   tensor.Set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT);
//   tensor.SetNumbers(CUDNN_ATTR_TENSOR_DIMENSIONS, {8, 3, 28, 28});
//   tensor.Finish();
//
// Errors of all: Internal.
class BackendDescriptor {
 public:
  explicit BackendDescriptor(cudnnBackendDescriptorType_t type) {
    CheckCudnn(cudnnBackendCreateDescriptor(type, &descriptor_), kName);
  }
  ~BackendDescriptor() {
    if (descriptor_ != nullptr) cudnnBackendDestroyDescriptor(descriptor_);
  }
  BackendDescriptor(BackendDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  BackendDescriptor& operator=(BackendDescriptor&&) = delete;

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  template <typename T>
  void Set(cudnnBackendAttributeName_t name, T value) {
    SetArray(name, TypeOf(value), 1, &value);
  }
  void Set(cudnnBackendAttributeName_t name, const BackendDescriptor& value) {
    SetArray(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.descriptor_);
  }
  void SetNumbers(cudnnBackendAttributeName_t name,
                  const std::vector<int64_t>& values) {
    SetArray(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()),
             values.data());
  }
  void SetPointers(cudnnBackendAttributeName_t name,
                   const std::vector<void*>& values) {
    SetArray(name, CUDNN_TYPE_VOID_PTR, static_cast<int64_t>(values.size()),
             values.data());
  }
  void SetDescriptors(cudnnBackendAttributeName_t name,
                      const std::vector<cudnnBackendDescriptor_t>& values) {
    SetArray(name, CUDNN_TYPE_BACKEND_DESCRIPTOR,
             static_cast<int64_t>(values.size()), values.data());
  }

  void Finish() { CheckCudnn(cudnnBackendFinalize(descriptor_), kName); }
  // Finishes it; false if the library does not support it. Errors:
  // ResourceExhausted.
  bool TryFinish() {
    return Succeeded(cudnnBackendFinalize(descriptor_), kName);
  }

  int64_t GetNumber(cudnnBackendAttributeName_t name) const {
    int64_t value = 0;
    int64_t count = 0;
    CheckCudnn(cudnnBackendGetAttribute(descriptor_, name, CUDNN_TYPE_INT64, 1,
                                        &count, &value),
               kName);
    return value;
  }

 private:
  static constexpr char kName[] = "[BackendDescriptor]";

  static cudnnBackendAttributeType_t TypeOf(int64_t) {
    return CUDNN_TYPE_INT64;
  }
  static cudnnBackendAttributeType_t TypeOf(bool) { return CUDNN_TYPE_BOOLEAN; }
  static cudnnBackendAttributeType_t TypeOf(float) { return CUDNN_TYPE_FLOAT; }
  static cudnnBackendAttributeType_t TypeOf(double) {
    return CUDNN_TYPE_DOUBLE;
  }
  static cudnnBackendAttributeType_t TypeOf(cudnnDataType_t) {
    return CUDNN_TYPE_DATA_TYPE;
  }
  static cudnnBackendAttributeType_t TypeOf(cudnnConvolutionMode_t) {
    return CUDNN_TYPE_CONVOLUTION_MODE;
  }
  static cudnnBackendAttributeType_t TypeOf(cudnnPointwiseMode_t) {
    return CUDNN_TYPE_POINTWISE_MODE;
  }
  static cudnnBackendAttributeType_t TypeOf(cudnnNanPropagation_t) {
    return CUDNN_TYPE_NAN_PROPOGATION;
  }
  static cudnnBackendAttributeType_t TypeOf(cudnnBackendHeurMode_t) {
    return CUDNN_TYPE_HEUR_MODE;
  }
  static cudnnBackendAttributeType_t TypeOf(cudnnHandle_t) {
    return CUDNN_TYPE_HANDLE;
  }
  static cudnnBackendAttributeType_t TypeOf(void*) {
    return CUDNN_TYPE_VOID_PTR;
  }

  void SetArray(cudnnBackendAttributeName_t name,
                cudnnBackendAttributeType_t type, int64_t count,
                const void* values) {
    CheckCudnn(cudnnBackendSetAttribute(descriptor_, name, type, count, values),
               kName);
  }

  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

// The graph's tensors: tensor ids[i] is at pointers[i].
struct GraphTensors {
  std::vector<int64_t> ids;
  std::vector<void*> pointers;
};

// The engine of a configuration; nullopt if the library does not report it.
// Errors: ResourceExhausted.
std::optional<BackendDescriptor> EngineOf(const BackendDescriptor& config);

// An engine prepared to run a cuDNN graph.
class EnginePlan {
 public:
  // Errors: Internal if the engine does not support the graph;
  // ResourceExhausted.
  EnginePlan(cudnnHandle_t handle, BackendDescriptor config);

  // The library's number of the engine, for logs; -1 if unknown.
  int64_t engine() const { return engine_; }
  // Bytes of scratch memory that a run needs.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  // Enqueues a run in the handle's stream. Errors: Internal.
  void Run(cudnnHandle_t handle, const GraphTensors& tensors,
           void* workspace) const;

 private:
  BackendDescriptor config_;  // the plan's
  BackendDescriptor plan_;
  int64_t workspace_bytes_ = 0;
  int64_t engine_ = -1;
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_ENGINE_PLAN_H_
