// The GPU versions of gather.h.
#include "reference/kernels/gather.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/gather_launch.h"
#include "reference/kernels/cuda/word_of.h"
#include "reference/kernels/gathered_shape.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

cuda::GatherShape SizesOf(const Shape& params, const Tensor& indices) {
  return {params[0], params.Tail().num_elements(), indices.num_elements()};
}

Tensor GatherOnGpu(const Tensor& params, const Tensor& indices) {
  Tensor out = Tensor::Empty(
      kernels_internal::GatheredShape(indices.shape(), params.shape()),
      params.dtype(), params.device());
  const auto shape = SizesOf(params.shape(), indices);
  kernels_internal::VisitIndices(indices.dtype(), [&]<typename Index>() {
    cuda::VisitWord(DTypeSize(params.dtype()), [&]<typename Word>() {
      CheckCuda(cuda::Gather(static_cast<const Word*>(params.raw_data()),
                             indices.data<Index>(), shape,
                             static_cast<Word*>(out.mutable_raw_data()),
                             StreamOf(params.device())),
                "[Gather] launch");
    });
  });
  return out;
}

Tensor GatherBackwardOnGpu(const Shape& params_shape, const Tensor& indices,
                           const Tensor& dy) {
  Tensor dparams = Tensor::Zeros(params_shape, dy.dtype(), dy.device());
  const auto shape = SizesOf(params_shape, indices);
  kernels_internal::VisitFloating(dy.dtype(), [&]<typename T>() {
    kernels_internal::VisitIndices(indices.dtype(), [&]<typename Index>() {
      CheckCuda(cuda::GatherBackward(dy.data<T>(), indices.data<Index>(), shape,
                                     dparams.mutable_data<T>(),
                                     StreamOf(dy.device())),
                "[GatherBackward] launch");
    });
  });
  return dparams;
}

const RegisterKernel gather(gpu::Gather, &GatherOnGpu);
const RegisterKernel gather_backward(gpu::GatherBackward, &GatherBackwardOnGpu);

}  // namespace
}  // namespace lockstep::kernels
