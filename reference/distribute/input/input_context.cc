#include "reference/distribute/input/input_context.h"

#include <fmt/format.h>

#include "reference/base/error.h"

namespace lockstep {

InputContext::InputContext(int num_input_pipelines, int input_pipeline_id,
                           int num_replicas_in_sync)
    : num_input_pipelines_(num_input_pipelines),
      input_pipeline_id_(input_pipeline_id),
      num_replicas_in_sync_(num_replicas_in_sync) {
  if (input_pipeline_id < 0 || input_pipeline_id >= num_input_pipelines) {
    throw InvalidArgument("[InputContext] pipeline {} of {} does not exist",
                          input_pipeline_id, num_input_pipelines);
  }
  if (num_replicas_in_sync < 1) {
    throw InvalidArgument("[InputContext] replicas must be positive, got {}",
                          num_replicas_in_sync);
  }
}

int64_t InputContext::GetPerReplicaBatchSize(int64_t global_batch_size) const {
  if (global_batch_size < 0 || global_batch_size % num_replicas_in_sync_ != 0) {
    throw InvalidArgument(
        "[InputContext] The `global_batch_size` {} is not divisible by "
        "`num_replicas_in_sync` {}",
        global_batch_size, num_replicas_in_sync_);
  }
  return global_batch_size / num_replicas_in_sync_;
}

std::string ToString(const InputContext& context) {
  return fmt::format(
      "tf.distribute.InputContext(input pipeline id {}, total: {})",
      context.input_pipeline_id(), context.num_input_pipelines());
}

}  // namespace lockstep
