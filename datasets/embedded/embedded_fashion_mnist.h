// 10,000 + 2,000 images of Fashion-MNIST that come with the source: of each
// class the first 1,000 and 200, in the published order (make_subset.py).
#ifndef LOCKSTEP_DATASETS_EMBEDDED_EMBEDDED_FASHION_MNIST_H_
#define LOCKSTEP_DATASETS_EMBEDDED_EMBEDDED_FASHION_MNIST_H_

#include "datasets/image_data.h"

namespace lockstep {

// Found through Bazel's runfiles, so in what `bazel run` and `bazel test`
// start. Errors: NotFound elsewhere; DataLoss for damaged files.
ImageData LoadEmbeddedFashionMnist();

}  // namespace lockstep

#endif  // LOCKSTEP_DATASETS_EMBEDDED_EMBEDDED_FASHION_MNIST_H_
