#include "reference/distribute/input/input_context.h"

#include <gtest/gtest.h>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

TEST(InputContextTest, DividesTheGlobalBatchSize) {
  const InputContext context(1, 0, 4);
  EXPECT_EQ(context.GetPerReplicaBatchSize(64), 16);
  EXPECT_EQ(context.GetPerReplicaBatchSize(0), 0);
  ExpectError([&] { context.GetPerReplicaBatchSize(10); },
              Code::kInvalidArgument,
              "The `global_batch_size` 10 is not divisible by "
              "`num_replicas_in_sync` 4");
  ExpectError([&] { context.GetPerReplicaBatchSize(-4); },
              Code::kInvalidArgument, "-4");
}

TEST(InputContextTest, PrintsAsDocumented) {
  EXPECT_EQ(ToString(InputContext(3, 1, 4)),
            "tf.distribute.InputContext(input pipeline id 1, total: 3)");
}

TEST(InputContextTest, DefaultsAreOnePipelineAndOneReplica) {
  const InputContext context;
  EXPECT_EQ(context.num_input_pipelines(), 1);
  EXPECT_EQ(context.input_pipeline_id(), 0);
  EXPECT_EQ(context.num_replicas_in_sync(), 1);
}

TEST(InputContextTest, ErrorsAreTyped) {
  ExpectError([] { InputContext(2, 2, 1); }, Code::kInvalidArgument,
              "[InputContext] pipeline 2 of 2 does not exist");
  ExpectError([] { InputContext(1, -1, 1); }, Code::kInvalidArgument,
              "pipeline -1");
  ExpectError([] { InputContext(1, 0, 0); }, Code::kInvalidArgument,
              "replicas must be positive, got 0");
}

}  // namespace
}  // namespace lockstep
