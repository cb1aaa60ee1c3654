// What is in force where no strategy is: one replica on CPU:0, always in
// replica context; Run calls the function where it is, variables are plain.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_DEFAULT_STRATEGY_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_DEFAULT_STRATEGY_H_

#include "reference/distribute/strategy.h"

namespace lockstep {

class DefaultStrategy final : public Strategy {
 public:
  static DefaultStrategy& Get();

  bool is_default() const override { return true; }
  // Its only replica.
  ReplicaContext& replica_context() { return context_; }
  VariablePtr CreateVariable(const VariableOptions& options) override;

 private:
  DefaultStrategy();
  void RunReplicas(const std::function<void(int)>& body) override;

  ReplicaContext context_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_DEFAULT_STRATEGY_H_
