// Batch normalization on GPUs.
#include "reference/kernels/normalization/batch_norm.h"

#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/tensor_memory.h"
#include "reference/kernels/normalization/cuda/batch_norm_launch.h"

namespace lockstep::kernels {
namespace {

using cuda::BatchNormArrays;
using cuda::BatchNormSizes;
using cuda::Data;

constexpr char kName[] = "[BatchNorm]";

BatchNormSizes SizesOf(const Tensor& x, const BatchNormOptions& options) {
  const int64_t channels = x.dim(x.rank() - 1);
  return {.dtype = x.dtype(),
          .rows = x.num_elements() / channels,
          .channels = channels,
          .epsilon = options.epsilon,
          .relu = options.relu};
}

// The type of values per channel: float32 for 16-bit types.
DType ChannelType(const Tensor& x) {
  return IsNarrowFloat(x.dtype()) ? DType::kFloat32 : x.dtype();
}

// Temporary memory, freed by the destructor: later work in the stream may reuse
// it.
class Scratch {
 public:
  Scratch(Device& device, const BatchNormSizes& sizes)
      : buffer_(Buffer::Allocate(
            device, static_cast<size_t>(cuda::BatchNormScratch(sizes)) *
                        sizeof(double))) {}
  double* data() const { return static_cast<double*>(buffer_->data()); }

 private:
  BufferPtr buffer_;
};

BatchNormResult NormalizeOnGpu(const Tensor& x, const Tensor& gamma,
                               const Tensor& beta, const Tensor& addend,
                               const BatchNormOptions& options) {
  const BatchNormSizes sizes = SizesOf(x, options);
  Device& device = x.device();
  const Shape channels{sizes.channels};
  BatchNormResult result{Tensor::Empty(x.shape(), x.dtype(), device),
                         Tensor::Empty(channels, ChannelType(x), device),
                         Tensor::Empty(channels, ChannelType(x), device)};
  const BatchNormArrays arrays{.x = Data(x),
                               .gamma = Data(gamma),
                               .beta = Data(beta),
                               .addend = Data(addend),
                               .mean = Data(result.mean),
                               .variance = Data(result.variance),
                               .y = Data(result.y)};
  const Scratch scratch(device, sizes);
  const cudaStream_t stream = StreamOf(device);
  CheckCuda(cuda::BatchNormMoments(stream, sizes, arrays, scratch.data()),
            kName);
  CheckCuda(cuda::BatchNormApply(stream, sizes, arrays, scratch.data()), kName);
  return result;
}

Tensor InferOnGpu(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                  const Tensor& mean, const Tensor& variance,
                  const Tensor& addend, const BatchNormOptions& options) {
  const BatchNormSizes sizes = SizesOf(x, options);
  Device& device = x.device();
  Tensor y = Tensor::Empty(x.shape(), x.dtype(), device);
  const BatchNormArrays arrays{.x = Data(x),
                               .gamma = Data(gamma),
                               .beta = Data(beta),
                               .addend = Data(addend),
                               .mean = Data(mean),
                               .variance = Data(variance),
                               .y = Data(y)};
  const Scratch scratch(device, sizes);
  CheckCuda(
      cuda::BatchNormApply(StreamOf(device), sizes, arrays, scratch.data()),
      kName);
  return y;
}

BatchNormGradients Gradients(const BatchNormSaved& saved, const Tensor& dy,
                             const BatchNormOptions& options,
                             bool moments_are_constants, bool need_addend) {
  const BatchNormSizes sizes = SizesOf(saved.x, options);
  const DType dtype = saved.x.dtype();
  Device& device = saved.x.device();
  const Shape channels{sizes.channels};
  const DType channel_type = ChannelType(saved.x);
  BatchNormGradients gradients{Tensor::Empty(dy.shape(), dtype, device),
                               Tensor::Zeros(channels, channel_type, device),
                               Tensor::Zeros(channels, channel_type, device),
                               Tensor()};
  if (need_addend) {
    gradients.addend = options.relu ? Tensor::Empty(dy.shape(), dtype, device)
                                    : dy.WithNewId();
  }
  if (sizes.rows == 0) return gradients;
  const BatchNormArrays arrays{
      .x = Data(saved.x),
      .gamma = Data(saved.gamma),
      .mean = Data(saved.mean),
      .variance = Data(saved.variance),
      .y = Data(saved.y),
      .dy = Data(dy),
      .dx = Data(gradients.x),
      .d_gamma = Data(gradients.gamma),
      .d_beta = Data(gradients.beta),
      .d_addend = options.relu ? Data(gradients.addend) : nullptr};
  const Scratch scratch(device, sizes);
  CheckCuda(cuda::BatchNormGradient(StreamOf(device), sizes, arrays,
                                    moments_are_constants, scratch.data()),
            "[BatchNormBackward]");
  return gradients;
}

BatchNormGradients BackwardOnGpu(const BatchNormSaved& saved, const Tensor& dy,
                                 const BatchNormOptions& options,
                                 bool need_addend) {
  return Gradients(saved, dy, options, /*moments_are_constants=*/false,
                   need_addend);
}

BatchNormGradients InferenceBackwardOnGpu(const BatchNormSaved& saved,
                                          const Tensor& dy,
                                          const BatchNormOptions& options,
                                          bool need_addend) {
  return Gradients(saved, dy, options, /*moments_are_constants=*/true,
                   need_addend);
}

const RegisterKernel kForward(gpu::BatchNorm, &NormalizeOnGpu);
const RegisterKernel kInference(gpu::BatchNormInference, &InferOnGpu);
const RegisterKernel kBackward(gpu::BatchNormBackward, &BackwardOnGpu);
const RegisterKernel kInferenceBackward(gpu::BatchNormInferenceBackward,
                                        &InferenceBackwardOnGpu);

}  // namespace
}  // namespace lockstep::kernels
