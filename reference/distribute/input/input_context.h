// What a dataset_fn is told about whom its dataset is for.
//
//   InputContext context(/*num_input_pipelines=*/1, /*input_pipeline_id=*/0,
//                        /*num_replicas_in_sync=*/4);
//   context.GetPerReplicaBatchSize(64);   // 16
//   context.GetPerReplicaBatchSize(10);   // throws InvalidArgument
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_INPUT_CONTEXT_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_INPUT_CONTEXT_H_

#include <cstdint>
#include <string>

namespace lockstep {

class InputContext {
 public:
  // Errors: InvalidArgument unless 0 <= input_pipeline_id <
  // num_input_pipelines and num_replicas_in_sync >= 1.
  explicit InputContext(int num_input_pipelines = 1, int input_pipeline_id = 0,
                        int num_replicas_in_sync = 1);

  int num_input_pipelines() const { return num_input_pipelines_; }
  int input_pipeline_id() const { return input_pipeline_id_; }
  int num_replicas_in_sync() const { return num_replicas_in_sync_; }

  // Errors: InvalidArgument when the replicas cannot have equal shares.
  int64_t GetPerReplicaBatchSize(int64_t global_batch_size) const;

 private:
  int num_input_pipelines_;
  int input_pipeline_id_;
  int num_replicas_in_sync_;
};

// "tf.distribute.InputContext(input pipeline id 1, total: 3)", as documented.
std::string ToString(const InputContext& context);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_INPUT_CONTEXT_H_
