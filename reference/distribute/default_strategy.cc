#include "reference/distribute/default_strategy.h"

#include <memory>

namespace lockstep {
namespace {

ReplicaGroupPtr OneReplica() {
  auto group = std::make_shared<ReplicaGroup>();
  group->devices = {&FindDevice("CPU:0")};
  return group;
}

}  // namespace

DefaultStrategy& DefaultStrategy::Get() {
  static DefaultStrategy* strategy = new DefaultStrategy;
  return *strategy;
}

DefaultStrategy::DefaultStrategy()
    : Strategy(OneReplica()), context_(*this, group(), nullptr, 0) {}

VariablePtr DefaultStrategy::CreateVariable(const VariableOptions& options) {
  return MakeVariable(options);
}

void DefaultStrategy::RunReplicas(const std::function<void(int)>& body) {
  body(0);
}

}  // namespace lockstep
