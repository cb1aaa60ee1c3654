// function.*: training steps that are recorded and replayed where they can be.
#include <memory>
#include <string>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/distribute/step_graph/step_graph.h"
#include "reference/distribute/strategy.h"

namespace lockstep::conformance {

// The program outlives it, to which it refers.
class TracedFunction {
 public:
  TracedFunction(const StepCall& call, const StepGraphOptions& options)
      : step_(
            GetStrategy(),
            [call](const Structure& part) {
              Environment inner(&call.environment());
              inner.Bind(call.Text("as"), part);
              call.RunBlock(inner);
              return call.Result(inner);
            },
            options) {}

  StepGraph<Structure>& step() { return step_; }

 private:
  StepGraph<Structure> step_;
};

namespace {

using FunctionPtr = std::shared_ptr<TracedFunction>;

PerReplica<SpecStructure> SpecOfInput(const Value& of) {
  if (const auto* inputs = std::get_if<DistributedDataset>(&of)) {
    return inputs->element_spec();
  }
  return StepCall::Held<std::shared_ptr<DistributedIterator>>(of, "signature")
      ->element_spec();
}

Value Create(const StepCall& call) {
  StepGraphOptions options;
  if (call.Has("signature")) {
    options.signature = SpecOfInput(call.Find("signature"));
  }
  return std::make_shared<TracedFunction>(call, options);
}

Value Call(const StepCall& call) {
  return call.Get<FunctionPtr>("of")->step().Run(
      call.Get<PerReplica<Structure>>("value"));
}

Value Signatures(const StepCall& call) {
  return call.Get<FunctionPtr>("of")->step().statistics().signatures;
}

}  // namespace

void AddFunctionSteps(StepTable& table) {
  table.Add("function.create", Create);
  table.Add("function.call", Call);
  table.Add("function.signatures", Signatures);
}

}  // namespace lockstep::conformance
