// For tests: workers that are threads of one process.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_HIERARCHICAL_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_HIERARCHICAL_TESTING_H_

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "reference/cluster/topology.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/hierarchical/hierarchical_group.h"

namespace lockstep {

// Groups of replicas[w] replicas on worker w, each on its own thread.
class HierarchicalRanks {
 public:
  explicit HierarchicalRanks(const std::vector<int>& replicas)
      : between_(std::make_shared<Rendezvous>(std::ssize(replicas))) {
    for (int worker = 0; worker < std::ssize(replicas); ++worker) {
      const Topology topology(replicas, WorkerId(worker));
      auto here = std::make_shared<Rendezvous>(replicas[worker]);
      here_.push_back(here);
      inside_.push_back(std::make_unique<std::atomic<int>>(replicas[worker]));
      auto workers =
          std::make_shared<WorkerGroup>(std::make_shared<InProcessGroup>(
              between_, worker, std::make_shared<SharedMemoryAllReduce>()));
      for (auto& group : MakeHierarchicalGroups(topology, here, workers)) {
        worker_of_.push_back(worker);
        groups_.push_back(std::move(group));
      }
    }
  }

  // REQUIRES: called once.
  static std::unique_ptr<Ranks> Make(const std::vector<int>& replicas) {
    auto all = std::make_shared<HierarchicalRanks>(replicas);
    std::vector<Group*> ranks;
    for (const auto& group : all->groups_) ranks.push_back(group.get());
    RankEnds ends = {.leave = [all = all.get()](int rank) { all->Leave(rank); },
                     .fail = [ranks](int rank) { ranks[rank]->Abort(); },
                     .reset = [all = all.get()] { all->Reset(); }};
    return std::make_unique<Ranks>(std::move(all->groups_), std::move(ends),
                                   all);
  }

 private:
  // A worker has left when its replicas have.
  void Leave(int rank) {
    const int worker = worker_of_[rank];
    here_[worker]->Leave();
    if (inside_[worker]->fetch_sub(1) == 1) between_->Leave();
  }
  void Reset() {
    between_->Reset();
    for (size_t worker = 0; worker < here_.size(); ++worker) {
      here_[worker]->Reset();
      inside_[worker]->store(here_[worker]->ranks());
    }
  }

  std::shared_ptr<Rendezvous> between_;
  std::vector<std::shared_ptr<Rendezvous>> here_;
  std::vector<std::unique_ptr<std::atomic<int>>> inside_;
  std::vector<int> worker_of_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_HIERARCHICAL_TESTING_H_
