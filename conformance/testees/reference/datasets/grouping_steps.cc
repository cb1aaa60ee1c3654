// dataset.*: steps that put several elements together.
#include <vector>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/data/dataset.h"
#include "reference/data/ragged/ragged_batch.h"

namespace lockstep::conformance {
namespace {

Value RaggedBatches(const StepCall& call) {
  return RaggedBatch(call.Get<Dataset>("of"), call.Integer("size"),
                     call.Boolean("drop_remainder"));
}

// Each window is a batch.
Value Window(const StepCall& call) {
  WindowOptions options = {.size = call.Integer("size"),
                           .stride = call.Integer("stride", 1),
                           .drop_remainder = call.Boolean("drop_remainder")};
  if (call.Has("shift")) options.shift = call.Integer("shift");
  return call.Get<Dataset>("of").Window(
      options, [size = options.size](const Dataset& window) {
        return window.Batch(size);
      });
}

Value GroupByWindow(const StepCall& call) {
  const auto key = [call](const Structure& element) {
    Environment inner(&call.environment());
    inner.Bind(call.Text("as"), element);
    call.RunBlock(inner);
    return call.Result(inner).leaf().item<int64_t>();
  };
  const int64_t size = call.Integer("size");
  const auto batch = [size](int64_t, const Dataset& window) {
    return window.Batch(size);
  };
  return call.Get<Dataset>("of").GroupByWindow(key, batch, size);
}

Value BucketBySequenceLength(const StepCall& call) {
  const auto length = [](const Structure& element) {
    return element.leaf().shape().dims()[0];
  };
  return call.Get<Dataset>("of").BucketBySequenceLength(
      length,
      {.boundaries = call.Argument("boundaries").get<std::vector<int64_t>>(),
       .batch_sizes = call.Argument("sizes").get<std::vector<int64_t>>()});
}

}  // namespace

void AddGroupingSteps(StepTable& table) {
  table.Add("dataset.ragged_batch", RaggedBatches);
  table.Add("dataset.window", Window);
  table.Add("dataset.group_by_window", GroupByWindow);
  table.Add("dataset.bucket_by_sequence_length", BucketBySequenceLength);
}

}  // namespace lockstep::conformance
