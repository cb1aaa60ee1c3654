#include "reference/parameter_server/variables/closure_scope.h"

#include "reference/base/check.h"

namespace lockstep {
namespace {

thread_local ClosureScope* current_scope = nullptr;

}  // namespace

ClosureScope::ClosureScope(ClosureNumber closure) : closure_(closure) {
  LOCKSTEP_CHECK(current_scope == nullptr && closure > 0);
  current_scope = this;
}

ClosureScope::~ClosureScope() { current_scope = nullptr; }

ClosureScope* ClosureScope::Current() { return current_scope; }

}  // namespace lockstep
