#include "benchmarks/choose_workload.h"

#include <algorithm>

#include "benchmarks/workloads/fashion_mnist_cnn/workload.h"
#include "benchmarks/workloads/precision.h"
#include "benchmarks/workloads/resnet50/workload.h"
#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

Workload MakeFashionMnistCnn(const ScalingOptions& options) {
  Workload workload = FashionMnistCnn(ChooseFashionMnist(options.data));
  if (options.batch > 0) workload.images_per_replica = options.batch;
  return workload;
}

Workload MakeResNet50(const ScalingOptions& options) {
  ResNet50Options chosen{
      .model = {.image_size = options.image_size, .l2 = options.l2},
      .most_replicas = std::ranges::max(options.replicas),
      .seed = options.seed};
  if (options.batch > 0) chosen.images_per_replica = options.batch;
  return ResNet50(chosen);
}

Workload InFloat32(const ScalingOptions& options) {
  if (options.workload == "fashion_mnist_cnn") {
    return MakeFashionMnistCnn(options);
  }
  if (options.workload == "resnet50") return MakeResNet50(options);
  throw InvalidArgument("[ChooseWorkload] there is no workload '{}'",
                        options.workload);
}

}  // namespace

Workload ChooseWorkload(const ScalingOptions& options) {
  return WithPrecision(InFloat32(options), options.precision);
}

}  // namespace lockstep::benchmarks
