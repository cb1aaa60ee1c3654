// For tests: workers that are threads of one process, each with its own Gloo
// connections.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_TESTING_H_

#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "reference/cluster/control/control_plane_testing.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/gloo/gloo_group.h"
#include "reference/collectives/mesh/replaceable_group_testing.h"

namespace lockstep {

using ControlPlanes = std::vector<std::unique_ptr<ControlPlane>>;

// Makes a group of all workers. Returns each worker's error.
inline std::vector<std::exception_ptr> ConnectAll(
    const ControlPlanes& planes, const std::vector<GlooOptions>& options,
    std::vector<std::unique_ptr<Group>>& groups) {
  std::vector<std::exception_ptr> errors(planes.size());
  groups.resize(planes.size());
  std::vector<std::thread> threads;
  for (size_t w = 0; w < planes.size(); ++w) {
    threads.emplace_back([&, w] {
      try {
        groups[w] = MakeGlooGroup(*planes[w], options[w]);
      } catch (...) {
        errors[w] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

// The workers of a job, their control planes and groups.
class GlooRanks {
 public:
  explicit GlooRanks(int size, const GlooOptions& options = {})
      : planes_(MakeThreadControlPlanes(size)),
        options_(size, options),
        groups_(size) {
    Connect();
  }
  ~GlooRanks() { Disconnect(); }

  ControlPlanes& planes() { return planes_; }

  static std::unique_ptr<Ranks> Make(int size,
                                     const GlooOptions& options = {}) {
    return Make(std::make_shared<GlooRanks>(size, options));
  }
  static std::unique_ptr<Ranks> Make(const std::shared_ptr<GlooRanks>& all) {
    std::vector<std::unique_ptr<Group>> groups;
    for (auto& group : all->groups_) {
      groups.push_back(std::make_unique<ReplaceableGroup>(group));
    }
    const RankEnds ends = {
        .leave = [all = all.get()](int r) { all->groups_[r].reset(); },
        .fail = [all = all.get()](int r) { all->groups_[r]->Abort(); },
        .reset = [all = all.get()] { all->Connect(); }};
    return std::make_unique<Ranks>(std::move(groups), ends, all);
  }

 private:
  void Connect() {
    Disconnect();
    RethrowAny(ConnectAll(planes_, options_, groups_));
  }
  // All at once, as when processes end.
  void Disconnect() {
    std::vector<std::thread> threads;
    for (auto& group : groups_) {
      threads.emplace_back([&group] { group.reset(); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  ControlPlanes planes_;
  std::vector<GlooOptions> options_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_TESTING_H_
