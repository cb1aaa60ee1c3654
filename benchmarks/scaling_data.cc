#include "benchmarks/scaling_data.h"

#include "datasets/embedded/embedded_fashion_mnist.h"
#include "datasets/fashion_mnist.h"
#include "reference/base/error.h"

namespace lockstep::benchmarks {

ScalingData LoadScalingData(const std::string& which) {
  if (which != "embedded") {
    try {
      return {Scaled(LoadFashionMnist()), "full"};
    } catch (const Error& error) {
      if (which == "full" || error.code() != Code::kNotFound) throw;
    }
  }
  return {Scaled(LoadEmbeddedFashionMnist()), "embedded"};
}

}  // namespace lockstep::benchmarks
