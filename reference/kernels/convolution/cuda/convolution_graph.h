// A convolution as a cuDNN graph, and the engines that can run it.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_GRAPH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_GRAPH_H_

#include <cudnn.h>

#include <deque>
#include <vector>

#include "reference/kernels/convolution/cuda/convolution_signature.h"
#include "reference/kernels/convolution/cuda/engine_plan.h"

namespace lockstep::cuda {

// The ids of its tensors. x, y and the filter are the convolution's or their
// gradients; images are NHWC, the filter is [O, H, W, I].
inline constexpr int64_t kConvolutionX = 1;
inline constexpr int64_t kConvolutionFilter = 2;
inline constexpr int64_t kConvolutionY = 3;
inline constexpr int64_t kConvolutionBias = 4;

// cuDNN's name of float32, bfloat16 or float16. Sums are float32. Errors:
// InvalidArgument for another type.
cudnnDataType_t CudnnType(DType dtype);

class ConvolutionGraph {
 public:
  // Includes the signature's bias and ReLU. Errors: Internal if the library
  // does not support the graph; ResourceExhausted.
  ConvolutionGraph(cudnnHandle_t handle,
                   const kernels_internal::ConvolutionSignature& signature);

  // Engine configurations for this graph, the library's best guess first; empty
  // if it has no engine or reports none. Excludes engines that are not
  // deterministic, that round inputs to fewer bits, that use Fourier
  // transforms, and, as the signature says, TF32 and Winograd. Errors:
  // ResourceExhausted.
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
  // In the order of creation; later ones refer to earlier ones.
  std::deque<BackendDescriptor> parts_;
  std::vector<cudnnBackendDescriptor_t> operations_;
  BackendDescriptor graph_;
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_GRAPH_H_
