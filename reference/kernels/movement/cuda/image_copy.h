// Copies parts of NHWC images on one GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_CUDA_IMAGE_COPY_H_
#define LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_CUDA_IMAGE_COPY_H_

#include <cstdint>

#include "reference/tensor/tensor.h"

namespace lockstep::cuda {

struct ImageCorner {
  int64_t row = 0;
  int64_t column = 0;
};

// Enqueues a copy of [rows, columns] pixels from `from_corner` of each image of
// `from` to `to_corner` of the same image of `to`. Errors: Internal. REQUIRES:
// both have the same type, number of images and channels; the part is inside
// both.
void CopyImageParts(const Tensor& from, const ImageCorner& from_corner,
                    Tensor& to, const ImageCorner& to_corner, int64_t rows,
                    int64_t columns);

// Enqueues setting all elements to zero. Errors: Internal.
void SetToZero(Tensor& tensor);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_CUDA_IMAGE_COPY_H_
