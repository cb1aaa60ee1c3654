#include "datasets/embedded/choose_fashion_mnist.h"

#include "datasets/embedded/embedded_fashion_mnist.h"
#include "datasets/fashion_mnist.h"
#include "reference/base/error.h"

namespace lockstep {

ChosenImages ChooseFashionMnist(std::string_view which,
                                const LoadOptions& options) {
  if (which != "auto" && which != "full" && which != "embedded") {
    throw InvalidArgument(
        "[ChooseFashionMnist] wanted auto, full or embedded, got '{}'", which);
  }
  if (which != "embedded") {
    try {
      return {LoadFashionMnist(options), "full"};
    } catch (const Error& error) {
      if (which == "full" || error.code() != Code::kNotFound) throw;
    }
  }
  return {LoadEmbeddedFashionMnist(), "embedded"};
}

}  // namespace lockstep
