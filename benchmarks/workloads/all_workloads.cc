#include "benchmarks/workloads/all_workloads.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "benchmarks/workloads/densenet/densenet.h"
#include "benchmarks/workloads/fashion_mnist_cnn.h"
#include "benchmarks/workloads/resnet50.h"
#include "reference/base/error.h"

namespace lockstep::benchmarks {

const std::vector<NamedWorkload>& AllWorkloads() {
  static const auto* all = new std::vector<NamedWorkload>{
      {"fashion_mnist_cnn",
       "the custom-training document's CNN, Adam, 64 images a\nreplica",
       FashionMnistCnnFor},
      {"densenet",
       "DenseNet-BC of depth 22 on Fashion-MNIST, SGD with\nNesterov's "
       "momentum, 64 images a replica",
       DenseNetFor},
      {"densenet_small",
       "the same network with weights and images by formula,\n8 images a "
       "replica",
       SmallDenseNetFor},
      {"resnet50",
       "ResNet-50 v1.5 on synthetic images, SGD with momentum,\n32 images a "
       "replica, 20 steps an epoch",
       ResNet50For},
  };
  return *all;
}

Workload MakeWorkload(const std::string& name, const WorkloadOptions& options) {
  const std::vector<NamedWorkload>& all = AllWorkloads();
  const auto found = std::ranges::find(all, name, &NamedWorkload::name);
  if (found != all.end()) return found->make(options);
  std::vector<std::string> names;
  for (const NamedWorkload& each : all) names.push_back(each.name);
  throw InvalidArgument("[MakeWorkload] no workload '{}'; there are {}", name,
                        fmt::join(names, ", "));
}

}  // namespace lockstep::benchmarks
