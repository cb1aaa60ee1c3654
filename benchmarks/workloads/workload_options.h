// What a user chooses of a workload.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_WORKLOAD_OPTIONS_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_WORKLOAD_OPTIONS_H_

#include <cstdint>
#include <string>

namespace lockstep::benchmarks {

struct WorkloadOptions {
  int64_t batch_per_replica = 0;  // 0: the workload's own number
  int most_replicas = 1;          // that will train it
  uint64_t seed = 42;             // of synthetic data
  std::string data = "auto";      // or full, embedded
  int64_t image_size = 224;       // resnet50
  double l2 = 0;                  // resnet50

  // The batch that a workload has unless the user says otherwise.
  int64_t BatchOr(int64_t own) const {
    return batch_per_replica > 0 ? batch_per_replica : own;
  }
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_WORKLOAD_OPTIONS_H_
