// RAII for `with strategy.scope():` - variables made while it is open are
// distributed, and the thread is in the strategy's cross-replica context.
//
//   {
//     StrategyScope scope = strategy.Scope();
//     VariablePtr v = MakeVariable({...});        // a copy for each replica
//   }
//
// The same strategy's scope may be opened again inside, to any depth. Errors:
// FailedPrecondition when another strategy's is open on this thread.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STRATEGY_SCOPE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STRATEGY_SCOPE_H_

#include <cstdint>

namespace lockstep {

class Strategy;

class StrategyScope {
 public:
  explicit StrategyScope(Strategy& strategy);
  // Closes it where Close was not called. Out of order it stays in force until
  // the scopes inside it are closed, and the log says so.
  ~StrategyScope();
  StrategyScope(const StrategyScope&) = delete;
  StrategyScope& operator=(const StrategyScope&) = delete;

  // Errors: FailedPrecondition when a scope opened later on this thread is
  // still open, or from another thread than the one that opened it.
  void Close();

 private:
  uint64_t id_;  // 0 when closed
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_STRATEGY_SCOPE_H_
