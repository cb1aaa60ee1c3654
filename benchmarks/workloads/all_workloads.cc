#include "benchmarks/workloads/all_workloads.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "benchmarks/workloads/bert/bert.h"
#include "benchmarks/workloads/densenet/densenet.h"
#include "benchmarks/workloads/fashion_mnist_cnn.h"
#include "benchmarks/workloads/ncf/ncf.h"
#include "benchmarks/workloads/nmt/nmt.h"
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
      {"bert",
       "BERT of 2 layers of 128 on made stories or manuals,\nAdamW, 32 "
       "sequences a replica",
       BertFor},
      {"nmt",
       "GRUs with attention that translate made sentences, Adam,\n64 pairs a "
       "replica",
       NmtFor},
      {"ncf",
       "neural collaborative filtering on synthetic ratings,\nAdam, 4096 "
       "ratings a replica",
       NcfFor},
      {"resnet50",
       "ResNet-50 v1.5 on synthetic images, SGD with momentum,\n32 images a "
       "replica, 20 steps an epoch",
       ResNet50For},
      {"bert_small",
       "a BERT of two layers, weights and examples by formula,\n8 sequences a "
       "replica",
       SmallBertFor},
      {"densenet_small", "the DenseNet by formula, 8 images a replica",
       SmallDenseNetFor},
      {"ncf_small", "a small NCF by formula, 40 ratings a replica",
       SmallNcfFor},
      {"nmt_small",
       "GRUs with attention that translate, by formula, 8 pairs\nof sentences "
       "a replica",
       SmallNmtFor},
  };
  return *all;
}

std::vector<std::string> WorkloadNames() {
  std::vector<std::string> names;
  for (const NamedWorkload& each : AllWorkloads()) names.push_back(each.name);
  return names;
}

Workload MakeWorkload(const std::string& name, const WorkloadOptions& options) {
  const std::vector<NamedWorkload>& all = AllWorkloads();
  const auto found = std::ranges::find(all, name, &NamedWorkload::name);
  if (found != all.end()) return found->make(options);
  throw InvalidArgument("[MakeWorkload] no workload '{}'; there are {}", name,
                        fmt::join(WorkloadNames(), ", "));
}

}  // namespace lockstep::benchmarks
