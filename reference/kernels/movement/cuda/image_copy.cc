#include "reference/kernels/movement/cuda/image_copy.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/movement/movement.h"

namespace lockstep::cuda {
namespace {

size_t PixelBytes(const Tensor& images) {
  return static_cast<size_t>(images.dim(3)) * DTypeSize(images.dtype());
}

cudaPitchedPtr LinesOf(const void* data, const Tensor& images) {
  const size_t line = static_cast<size_t>(images.dim(2)) * PixelBytes(images);
  return {const_cast<void*>(data), line, line,
          static_cast<size_t>(images.dim(1))};
}

cudaPos PositionOf(const ImageCorner& corner, const Tensor& images) {
  return {static_cast<size_t>(corner.column) * PixelBytes(images),
          static_cast<size_t>(corner.row), 0};
}

}  // namespace

void CopyImageParts(const Tensor& from, const ImageCorner& from_corner,
                    Tensor& to, const ImageCorner& to_corner, int64_t rows,
                    int64_t columns) {
  const size_t width = static_cast<size_t>(columns) * PixelBytes(from);
  if (width == 0 || rows == 0 || from.dim(0) == 0) return;
  cudaMemcpy3DParms copy{};
  copy.srcPtr = LinesOf(from.raw_data(), from);
  copy.srcPos = PositionOf(from_corner, from);
  copy.dstPtr = LinesOf(to.mutable_raw_data(), to);
  copy.dstPos = PositionOf(to_corner, to);
  copy.extent = {width, static_cast<size_t>(rows),
                 static_cast<size_t>(from.dim(0))};
  copy.kind = cudaMemcpyDeviceToDevice;
  CheckCuda(cudaMemcpy3DAsync(&copy, StreamOf(from.device())),
            "[CopyImageParts]");
}

void SetToZero(Tensor& tensor) {
  CheckCuda(cudaMemsetAsync(tensor.mutable_raw_data(), 0, tensor.bytes(),
                            StreamOf(tensor.device())),
            "[SetToZero]");
}

}  // namespace lockstep::cuda

namespace lockstep::kernels {

namespace {

using cuda::CopyImageParts;
using cuda::SetToZero;

Tensor PadOnGpu(const Tensor& x, const Pad2DOptions& options) {
  Tensor y =
      Tensor::Empty(Shape{x.dim(0), x.dim(1) + options.top + options.bottom,
                          x.dim(2) + options.left + options.right, x.dim(3)},
                    x.dtype(), x.device());
  SetToZero(y);
  CopyImageParts(x, {}, y, {options.top, options.left}, x.dim(1), x.dim(2));
  return y;
}

Tensor CropOnGpu(const Tensor& dy, const Pad2DOptions& options) {
  const int64_t rows = dy.dim(1) - options.top - options.bottom;
  const int64_t columns = dy.dim(2) - options.left - options.right;
  Tensor dx = Tensor::Empty(Shape{dy.dim(0), rows, columns, dy.dim(3)},
                            dy.dtype(), dy.device());
  CopyImageParts(dy, {options.top, options.left}, dx, {}, rows, columns);
  return dx;
}

const RegisterKernel kPad(gpu::Pad2D, &PadOnGpu);
const RegisterKernel kCrop(gpu::Pad2DBackward, &CropOnGpu);

}  // namespace
}  // namespace lockstep::kernels
