// Copies a part of each of some images, NHWC, on one GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_CUDA_IMAGE_COPY_H_
#define LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_CUDA_IMAGE_COPY_H_

#include <cstdint>

#include "reference/tensor/tensor.h"

namespace lockstep::cuda {

struct ImageCorner {
  int64_t row = 0;
  int64_t column = 0;
};

// Enqueues it; [rows, columns] is the size of the part, which begins at
// `from_corner` of each image of `from` and goes to `to_corner` of those of
// `to`. Errors: Internal. REQUIRES: images of one type, number and depth; the
// part lies in both.
void CopyImageParts(const Tensor& from, const ImageCorner& from_corner,
                    Tensor& to, const ImageCorner& to_corner, int64_t rows,
                    int64_t columns);

// Enqueues writing zeros everywhere. Errors: Internal.
void SetToZero(Tensor& tensor);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_CUDA_IMAGE_COPY_H_
