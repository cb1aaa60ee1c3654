// What NCF trains: whether a user chooses an item.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_NCF_NCF_TASK_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_NCF_NCF_TASK_H_

#include <memory>

#include "benchmarks/workloads/ncf/ncf.h"
#include "benchmarks/workloads/task.h"

namespace lockstep::benchmarks {

// Training examples are tuples (user, item, label, weight): label 1 for what the
// user chose; weight 0 for what only fills a batch, which still counts in the
// batch's size. The loss is the sum of the weighted cross entropies over the
// size of the global batch.
//
// Test examples are tuples (users, items, right): the candidates of one user,
// and which of them the user chose. The quality is the hit rate at 10.
std::unique_ptr<Task> MakeNcfTask(const NcfModel& model);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_NCF_NCF_TASK_H_
