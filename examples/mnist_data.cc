#include "examples/mnist_data.h"

#include "image_datasets/embedded/choose_fashion_mnist.h"
#include "image_datasets/load_images.h"
#include "reference/base/error.h"

namespace lockstep::examples {

ImageData ChooseMnist(const std::string& which) {
  if (which == "embedded") return LoadEmbeddedFashionMnist();
  try {
    return LoadMnist();
  } catch (const Error& error) {
    if (which == "full" || error.code() != Code::kNotFound) throw;
    return LoadEmbeddedFashionMnist();
  }
}

}  // namespace lockstep::examples
