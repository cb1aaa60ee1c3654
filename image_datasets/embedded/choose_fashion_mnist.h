// Fashion-MNIST for programs that run on any machine: the published set if it
// is available, else the subset in this repository.
//
//   const ChosenImages chosen = ChooseFashionMnist("auto");
//   chosen.source;                  // "full" or "embedded"
//   chosen.data.train.images;       // uint8 (60000, 28, 28, 1)
#ifndef LOCKSTEP_IMAGE_DATASETS_EMBEDDED_CHOOSE_FASHION_MNIST_H_
#define LOCKSTEP_IMAGE_DATASETS_EMBEDDED_CHOOSE_FASHION_MNIST_H_

#include <string>
#include <string_view>

#include "image_datasets/image_data.h"
#include "image_datasets/load_images.h"

namespace lockstep {

// The 10,000 + 2,000 images of Fashion-MNIST in this repository: of each class
// the first 1,000 and 200, in the published order (make_subset.py).
//
// Found through Bazel's runfiles, so only by programs started by `bazel run`
// and `bazel test`. Errors: NotFound elsewhere; DataLoss for damaged files.
ImageData LoadEmbeddedFashionMnist();

struct ChosenImages {
  ImageData data;
  std::string source;  // "full" or "embedded"
};

// `which` is "full", "embedded", or "auto": full if it is available. Errors:
// NotFound, naming the command that fetches it, if "full" is missing; DataLoss
// if it is damaged (also for "auto"); InvalidArgument for another `which`.
ChosenImages ChooseFashionMnist(std::string_view which,
                                const LoadOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_EMBEDDED_CHOOSE_FASHION_MNIST_H_
