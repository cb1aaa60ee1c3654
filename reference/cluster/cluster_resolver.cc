#include "reference/cluster/cluster_resolver.h"

namespace lockstep {

ClusterSpec SimpleClusterResolver::Resolve() const {
  ClusterFacts facts{.origin = std::string(name()),
                     .num_workers = static_cast<int>(addresses_.size()),
                     .worker = worker_};
  for (const std::string& address : addresses_) {
    facts.addresses.push_back(
        ParseWorkerAddress(address, "SimpleClusterResolver"));
  }
  return ClusterSpec(std::move(facts));
}

}  // namespace lockstep
