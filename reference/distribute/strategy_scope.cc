#include "reference/distribute/strategy_scope.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/distribute/strategy.h"

namespace lockstep {
namespace {

// What an open scope puts in force; going away it takes that back.
struct InForce {
  explicit InForce(Strategy& strategy)
      : context(strategy, strategy.group()),
        context_scope(context),
        creator_scope([strategy = &strategy](const VariableOptions& options) {
          return strategy->CreateVariable(options);
        }) {}

  CrossReplicaContext context;
  DistributionContextScope context_scope;
  VariableCreatorScope creator_scope;
};

struct OpenScope {
  uint64_t id;
  bool closed = false;
  std::unique_ptr<InForce> in_force;  // none where it changes nothing
};

// Innermost last.
thread_local std::vector<OpenScope> open_scopes;

void CheckNotMixed(const Strategy& strategy) {
  const StrategyContext* current = StrategyContext::Current();
  if (current == nullptr || &current->strategy() == &strategy) return;
  throw FailedPrecondition(
      "[Scope] Mixing different Strategy objects: one over {} replicas is in "
      "force, got one over {}",
      current->num_replicas_in_sync(), strategy.num_replicas_in_sync());
}

void PopClosed() {
  while (!open_scopes.empty() && open_scopes.back().closed) {
    open_scopes.pop_back();
  }
}

}  // namespace

StrategyScope::StrategyScope(Strategy& strategy) {
  static std::atomic<uint64_t> last_id{0};
  CheckNotMixed(strategy);
  // A replica stays a replica, and without a strategy there is nothing to do.
  const bool in_replica = ReplicaContext::Current() != nullptr;
  const bool changes = !in_replica && !strategy.is_default();
  id_ = ++last_id;
  open_scopes.push_back(
      {.id = id_,
       .in_force = changes ? std::make_unique<InForce>(strategy) : nullptr});
}

StrategyScope::~StrategyScope() {
  if (id_ == 0) return;
  const auto mine = std::ranges::find(open_scopes, id_, &OpenScope::id);
  if (mine == open_scopes.end()) {
    LogWarning("[Scope] {}", "a scope was closed on another thread");
    return;
  }
  mine->closed = true;
  if (&*mine != &open_scopes.back()) {
    LogWarning("[Scope] {}", "scopes were closed out of order");
  }
  PopClosed();
}

void StrategyScope::Close() {
  if (id_ == 0) return;
  const auto mine = std::ranges::find(open_scopes, id_, &OpenScope::id);
  if (mine == open_scopes.end()) {
    throw FailedPrecondition("[Scope] {}",
                             "a scope is closed on the thread that opened it");
  }
  if (&*mine != &open_scopes.back()) {
    throw FailedPrecondition(
        "[Scope] scope nesting error: {} scopes opened later are still open",
        &open_scopes.back() - &*mine);
  }
  id_ = 0;
  mine->closed = true;
  PopClosed();
}

}  // namespace lockstep
