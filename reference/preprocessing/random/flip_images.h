// Mirrors some images of a batch.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_FLIP_IMAGES_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_FLIP_IMAGES_H_

#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::preprocessing_internal {

enum class FlipAxis { kRows, kColumns };

// Images x [N, H, W, C], of which those with a true entry are reversed along
// the axis: kColumns exchanges left and right. Differentiable. REQUIRES:
// numbers on the host; an entry for each image.
Tensor FlipImages(const Tensor& x, const std::vector<bool>& flipped,
                  FlipAxis axis);

}  // namespace lockstep::preprocessing_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_FLIP_IMAGES_H_
