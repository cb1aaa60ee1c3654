// Fashion-MNIST for programs that run on any machine: the published set where
// it is at hand, else the subset that comes with the project.
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

// 10,000 + 2,000 images of Fashion-MNIST that come with the source: of each
// class the first 1,000 and 200, in the published order (make_subset.py).
//
// Found through Bazel's runfiles, so in what `bazel run` and `bazel test`
// start. Errors: NotFound elsewhere; DataLoss for damaged files.
ImageData LoadEmbeddedFashionMnist();

struct ChosenImages {
  ImageData data;
  std::string source;  // "full" or "embedded"
};

// `which` is "full", "embedded", or "auto": full where it is at hand. Errors:
// NotFound, naming the command that fetches it, when "full" is not there;
// DataLoss when it is there and damaged (also for "auto"); InvalidArgument for
// another `which`.
ChosenImages ChooseFashionMnist(std::string_view which,
                                const LoadOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_EMBEDDED_CHOOSE_FASHION_MNIST_H_
