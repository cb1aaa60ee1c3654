// The custom-training document's training as a benchmark.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_H_

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workload_options.h"
#include "image_datasets/embedded/choose_fashion_mnist.h"
#include "reference/training/model/model.h"

namespace lockstep::benchmarks {

// The document's model:
// Conv2D(32, 3, ReLU), MaxPooling2D, Conv2D(64, 3, ReLU), MaxPooling2D,
// Flatten, Dense(64, ReLU), Dense(10): images [N, 28, 28, 1] to logits [N, 10].
// 121,930 weights, made at once. REQUIRES: called in the strategy's scope.
Sequential MakeFashionMnistCnn();

// The document's CNN with Adam, 64 images a replica.
Workload FashionMnistCnn(const ChosenImages& images);

// The same as a user chooses it. Errors: those of ChooseFashionMnist.
Workload FashionMnistCnnFor(const WorkloadOptions& options);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_H_
