#include "datasets/fashion_mnist.h"

namespace lockstep {

ImageData LoadFashionMnist(const LoadOptions& options) {
  return LoadImages("fashion_mnist", options);
}

}  // namespace lockstep
