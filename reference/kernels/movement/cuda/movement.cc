// GPU versions of Concat, Split and Gather. The first two copy runs of equal
// size, which the GPU's copy engine supports.

#include "reference/kernels/movement/movement.h"

#include <algorithm>

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/tensor_memory.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/movement/cuda/movement_launch.h"

namespace lockstep::kernels {
namespace {

constexpr char kName[] = "[CopyRuns] enqueue the copy";

// The largest pitch that the current GPU's copy engine supports.
size_t MostPitch() {
  int gpu = 0;
  int most = 0;
  CheckCuda(cudaGetDevice(&gpu), kName);
  CheckCuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPitch, gpu), kName);
  return static_cast<size_t>(most);
}

void CopyBytes(const void* from, void* to, size_t bytes, cudaStream_t stream) {
  CheckCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
            kName);
}

// Copies `count` runs of `run` bytes, which start one pitch apart.
void CopyRuns(const void* from, size_t from_pitch, void* to, size_t to_pitch,
              size_t run, size_t count, const Device& device) {
  if (run == 0 || count == 0) return;
  const cudaStream_t stream = StreamOf(device);  // makes the GPU current
  if (count == 1 || (from_pitch == run && to_pitch == run)) {
    return CopyBytes(from, to, run * count, stream);
  }
  if (std::max(from_pitch, to_pitch) <= MostPitch()) {
    CheckCuda(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, run, count,
                                cudaMemcpyDeviceToDevice, stream),
              kName);
    return;
  }
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  for (size_t i = 0; i < count; ++i) {
    CopyBytes(source + i * from_pitch, target + i * to_pitch, run, stream);
  }
}

// The bytes per index along `axis`.
size_t InnerBytes(const Shape& shape, int axis, DType dtype) {
  const Shape inner(shape.dims().subspan(axis + 1));
  return static_cast<size_t>(inner.num_elements()) * DTypeSize(dtype);
}

size_t OuterCount(const Shape& shape, int axis) {
  return static_cast<size_t>(Shape(shape.dims().first(axis)).num_elements());
}

Tensor ConcatOnGpu(std::span<const Tensor> tensors, int axis,
                   const Shape& shape) {
  const Device& device = tensors[0].device();
  Tensor out = Tensor::Empty(shape, tensors[0].dtype(), tensors[0].device());
  const size_t inner = InnerBytes(shape, axis, out.dtype());
  const size_t pitch = static_cast<size_t>(shape[axis]) * inner;
  auto* to = static_cast<std::byte*>(out.mutable_raw_data());
  for (const Tensor& tensor : tensors) {
    const size_t run = static_cast<size_t>(tensor.dim(axis)) * inner;
    CopyRuns(tensor.raw_data(), run, to, pitch, run, OuterCount(shape, axis),
             device);
    to += run;
  }
  return out;
}

Tensor SplitPieceOnGpu(const Tensor& tensor, int axis, int64_t begin,
                       int64_t size) {
  Tensor piece = Tensor::Empty(tensor.shape().WithDim(axis, size),
                               tensor.dtype(), tensor.device());
  const size_t inner = InnerBytes(tensor.shape(), axis, tensor.dtype());
  const size_t run = static_cast<size_t>(size) * inner;
  const auto* from = static_cast<const std::byte*>(tensor.raw_data()) +
                     static_cast<size_t>(begin) * inner;
  CopyRuns(from, static_cast<size_t>(tensor.dim(axis)) * inner,
           piece.mutable_raw_data(), run, run, OuterCount(tensor.shape(), axis),
           tensor.device());
  return piece;
}

const RegisterKernel concat(gpu::Concat, &ConcatOnGpu);
const RegisterKernel split_piece(gpu::SplitPiece, &SplitPieceOnGpu);

}  // namespace

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

Tensor SwapLastAxesOnGpu(const Tensor& x) {
  const int last = x.rank() - 1;
  const int64_t rows = x.dim(last - 1), columns = x.dim(last);
  Tensor y =
      Tensor::Empty(x.shape().WithDim(last, rows).WithDim(last - 1, columns),
                    x.dtype(), x.device());
  cuda::VisitWord(DTypeSize(x.dtype()), [&]<typename Word>() {
    CheckCuda(cuda::SwapLastAxes(static_cast<const Word*>(x.raw_data()), rows,
                                 columns, x.num_elements(),
                                 static_cast<Word*>(y.mutable_raw_data()),
                                 StreamOf(x.device())),
              "[SwapLastAxes] launch");
  });
  return y;
}

const RegisterKernel swap_last_axes(gpu::SwapLastAxes, &SwapLastAxesOnGpu);
const RegisterKernel gather(gpu::Gather, &GatherOnGpu);
const RegisterKernel gather_backward(gpu::GatherBackward, &GatherBackwardOnGpu);

}  // namespace
}  // namespace lockstep::kernels
