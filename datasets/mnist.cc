#include "datasets/mnist.h"

namespace lockstep {

ImageData LoadMnist(const LoadOptions& options) {
  return LoadImages("mnist", options);
}

}  // namespace lockstep
