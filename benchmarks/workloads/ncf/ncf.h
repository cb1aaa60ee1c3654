// Neural collaborative filtering: the custom-training guide's recommender.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_NCF_NCF_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_NCF_NCF_H_

#include <cstdint>
#include <vector>

#include "benchmarks/workloads/small/small_training.h"
#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workload_options.h"

namespace lockstep::benchmarks {

// He, Liao, Zhang, Nie, Hu and Chua, "Neural collaborative filtering", 2017: the
// product of a user's and an item's factors beside a network that sees both, as
// TensorFlow's models have it: one table for users and one for items, whose
// first `factors` columns are factors, the others the network's.
struct NcfModel {
  int64_t users = 0;
  int64_t items = 0;
  int64_t factors = 8;
  // Inputs, then outputs of each dense layer.
  std::vector<int64_t> layers = {64, 32, 16, 8};
};

// Users and items of ml-1m, with planted factors; each positive with four
// negatives, which are drawn again in each epoch by the numbers of the examples.
// Adam as in MLPerf's benchmark of TensorFlow's models; 4,096 examples a
// replica. The quality is the hit rate: how often an item that the user chose is
// among the first 10 of it and 100 that the user did not. --data=full reads
// ml-1m/ratings.dat in the folder of data sets. Errors: those of ReadRatings.
Workload NcfFor(const WorkloadOptions& options);

// Five steps of weights and ratings by formula, batches of 40, 40, 40, 40 and
// 23, a fifth of which only fills the batch; 7,961 weights. Adam with rate 0.001
// and epsilon 1e-8.
SmallWorkload SmallNcf();

// The same as a workload of the benchmark.
Workload SmallNcfFor(const WorkloadOptions& options);

// 12 users with 30 items that they do not know and, last, the right one: tuples
// (users, items, right) of one batch.
Structure SmallNcfCandidates();

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_NCF_NCF_H_
