// The convolutional network of the custom-training document.
#ifndef LOCKSTEP_EXAMPLES_FASHION_MNIST_MODEL_H_
#define LOCKSTEP_EXAMPLES_FASHION_MNIST_MODEL_H_

#include "reference/training/model/model.h"

namespace lockstep::examples {

// Logits of the classes, (n, 10), for images (n, 28, 28, 1). The first call
// makes the weights.
Sequential CreateModel();

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_FASHION_MNIST_MODEL_H_
