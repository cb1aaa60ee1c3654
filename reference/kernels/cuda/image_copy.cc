#include "reference/kernels/cuda/image_copy.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"

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
