// The convolutional network of the custom-training document.
#ifndef LOCKSTEP_EXAMPLES_FASHION_MNIST_MODEL_H_
#define LOCKSTEP_EXAMPLES_FASHION_MNIST_MODEL_H_

#include "reference/training/model/model.h"

namespace lockstep::examples {

// Classes as logits, (n, 10), of images (n, 28, 28, 1). The first call makes
// the weights.
Sequential CreateModel();

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_FASHION_MNIST_MODEL_H_
