#include "reference/autodiff/variable.h"

#include <utility>

#include "reference/autodiff/local_variable.h"
#include "reference/base/check.h"

namespace lockstep {
namespace {

thread_local VariableCreatorScope* innermost_scope = nullptr;

}  // namespace

std::vector<Trackable::Value> Variable::values() {
  Value value;
  value.attribute = "VARIABLE_VALUE";
  value.full_name = name();
  value.spec = {shape(), dtype()};
  value.save = [this] { return ValueToSave(); };
  value.restore = [this](const Tensor& stored) { RestoreValue(stored); };
  return {std::move(value)};
}

VariablePtr MakeVariable(const VariableOptions& options) {
  VariableCreatorScope* scope = innermost_scope;
  if (scope == nullptr) return std::make_shared<LocalVariable>(options);
  // While a creator runs, MakeVariable means the next outer one.
  struct Restore {
    VariableCreatorScope* scope;
    ~Restore() { innermost_scope = scope; }
  } restore{scope};
  innermost_scope = scope->outer_;
  return scope->creator_(options);
}

VariableCreatorScope::VariableCreatorScope(VariableCreator creator)
    : creator_(std::move(creator)), outer_(innermost_scope) {
  innermost_scope = this;
}

VariableCreatorScope::~VariableCreatorScope() {
  LOCKSTEP_CHECK(innermost_scope == this);
  innermost_scope = outer_;
}

}  // namespace lockstep
