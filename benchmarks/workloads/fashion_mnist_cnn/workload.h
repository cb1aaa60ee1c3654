// The custom-training document's training as a benchmark.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_WORKLOAD_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_WORKLOAD_H_

#include "benchmarks/workloads/workload.h"
#include "datasets/embedded/choose_fashion_mnist.h"

namespace lockstep::benchmarks {

// The document's CNN with Adam, 64 images a replica.
Workload FashionMnistCnn(const ChosenImages& images);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_WORKLOAD_H_
