// DenseNet-BC on Fashion-MNIST: the custom-training guide's first model.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_DENSENET_DENSENET_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_DENSENET_DENSENET_H_

#include <cstdint>

#include "benchmarks/workloads/small/small_training.h"
#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workload_options.h"
#include "reference/training/model/model.h"

namespace lockstep::benchmarks {

// Huang, Liu, van der Maaten and Weinberger, "Densely connected convolutional
// networks", 2016: three blocks of layers that each see the outputs of all
// layers of the block before them, with bottlenecks and compression.
struct DenseNetModel {
  int64_t depth = 22;   // REQUIRES: 6 n + 4
  int64_t growth = 12;  // channels that a layer adds
  double l2 = 1e-4;     // penalty on the convolutions' kernels
  // Replicas normalize by the moments of all, and train as one does.
  bool synchronized = true;
};

// Of images [N, 28, 28, 1] to logits [N, 10], made at once; of depth 22 and
// growth 12, 71,254 weights. Errors: InvalidArgument for another depth.
// REQUIRES: called in the strategy's scope.
Model MakeDenseNet(const DenseNetModel& model);

// SGD with Nesterov's momentum 0.9; 64 images a replica. The learning rate is
// 0.1, a tenth of it after half of all steps, and a hundredth after three
// quarters, as the paper has it. Errors: those of ChooseFashionMnist.
Workload DenseNetFor(const WorkloadOptions& options);

// The small form as a workload of the benchmark.
Workload SmallDenseNetFor(const WorkloadOptions& options);

// Five steps of weights and images by formula, batches of 8, 8, 8, 8 and 5.
SmallWorkload SmallDenseNet(const DenseNetModel& model = {});

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_DENSENET_DENSENET_H_
