// MNIST (LeCun, Cortes, Burges): 60,000 + 10,000 images of digits, 28 x 28.
#ifndef LOCKSTEP_DATASETS_MNIST_H_
#define LOCKSTEP_DATASETS_MNIST_H_

#include "datasets/image_data.h"
#include "datasets/load_images.h"

namespace lockstep {

// Errors: as LoadImages.
ImageData LoadMnist(const LoadOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_DATASETS_MNIST_H_
