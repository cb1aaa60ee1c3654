// model.create and observations of such a model.
#include <memory>
#include <utility>

#include "conformance/testees/reference/intents/learned_model.h"
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"

namespace lockstep::conformance {
namespace {

Value CreateModel(const StepCall& call) {
  LearnedLoss loss{.kind = call.Text("loss"), .l2 = call.Number("l2", 0)};
  if (call.Has("ignored")) loss.ignored = call.Integer("ignored");
  return std::make_shared<LearnedModel>(call.Argument("layers"),
                                        std::move(loss));
}

const LearnedModel& ModelOf(const StepCall& call) {
  return *call.Get<std::shared_ptr<LearnedModel>>("of");
}

Value Copies(const StepCall& call) { return ModelOf(call).Copies(); }

Value Parameters(const StepCall& call) { return ModelOf(call).Copies()[0]; }

Value Buffers(const StepCall& call) { return ModelOf(call).Buffers(); }

}  // namespace

void AddLearnedModelSteps(StepTable& table) {
  table.Add("model.create", CreateModel);
  table.Add("model.parameters", Parameters);
  table.Add("model.copies", Copies);
  table.Add("model.buffers", Buffers);
}

}  // namespace lockstep::conformance
