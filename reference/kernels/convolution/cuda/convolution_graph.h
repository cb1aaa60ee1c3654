// A convolution as a graph of cuDNN's, and the engines that can run it.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_GRAPH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_GRAPH_H_

#include <cudnn.h>

#include <deque>
#include <vector>

#include "reference/kernels/convolution/cuda/convolution_signature.h"
#include "reference/kernels/convolution/cuda/engine_plan.h"

namespace lockstep::cuda {

// The names of its tensors. x, y and the filter are the convolution's, or their
// gradients; images lie as NHWC, the filter as [O, H, W, I].
inline constexpr int64_t kConvolutionX = 1;
inline constexpr int64_t kConvolutionFilter = 2;
inline constexpr int64_t kConvolutionY = 3;
inline constexpr int64_t kConvolutionBias = 4;

// float32, bfloat16 and float16; sums are float32.
// Errors: InvalidArgument for another type.
cudnnDataType_t CudnnType(DType dtype);

class ConvolutionGraph {
 public:
  // With the bias and ReLU that the signature names. Errors: Internal where the
  // library does not know such a graph; ResourceExhausted.
  ConvolutionGraph(cudnnHandle_t handle,
                   const kernels_internal::ConvolutionSignature& signature);

  // Configurations for this graph, the library's best guess first: none where
  // it has no engine for it, or does not say. Left out are engines whose
  // results differ from run to run, that round inputs to fewer bits, that use
  // Fourier transforms, and what the signature forbids: TF32 and Winograd.
  // Errors: ResourceExhausted.
  std::vector<BackendDescriptor> Engines() const;

 private:
  using Signature = kernels_internal::ConvolutionSignature;

  BackendDescriptor& Add(cudnnBackendDescriptorType_t type);
  BackendDescriptor& AddTensor(int64_t id, const std::vector<int64_t>& nchw,
                               cudnnDataType_t type, bool is_virtual);
  BackendDescriptor& AddWindows();
  cudnnDataType_t TypeOfY() const;
  void AddConvolution(const BackendDescriptor& y);
  // y = operation(from, with); `with` may be nullptr.
  const BackendDescriptor& AddPointwise(cudnnPointwiseMode_t mode,
                                        const BackendDescriptor& from,
                                        const BackendDescriptor* with,
                                        bool last);
  void AddForward();
  std::vector<BackendDescriptor> Ask(cudnnBackendHeurMode_t mode) const;
  bool IsAllowed(const BackendDescriptor& engine_config) const;

  const cudnnHandle_t handle_;
  const Signature signature_;
  int64_t next_virtual_ = 100;
  // In the order in which they were made; later ones name earlier ones.
  std::deque<BackendDescriptor> parts_;
  std::vector<cudnnBackendDescriptor_t> operations_;
  BackendDescriptor graph_;
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_GRAPH_H_
