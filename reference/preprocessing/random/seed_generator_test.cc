// Expected values: tf.random.Generator of TensorFlow 2.21.
#include "reference/preprocessing/random/seed_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error_testing.h"
#include "reference/layers/initializers.h"

namespace lockstep {
namespace {

// A replica of a strategy, whose variables are plain ones.
class PretendedReplica : public DistributionContext {
 public:
  PretendedReplica(int replica, int replicas)
      : replica_(replica), replicas_(replicas), scope_(*this) {}

  bool has_strategy() const override { return true; }
  int num_replicas_in_sync() const override { return replicas_; }
  ReplicaId replica_id_in_sync_group() const override {
    return ReplicaId(replica_);
  }

 private:
  int replica_;
  int replicas_;
  DistributionContextScope scope_;
};

std::vector<float> TwoNumbers(SeedGenerator& generator) {
  Random random = generator.Draw("Test", 2);
  const float first = NextUniform(random);
  return {first, NextUniform(random)};
}

void ExpectClose(const std::vector<float>& got,
                 const std::vector<float>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], wanted[i], 5e-7);  // the digits that were printed
  }
}

TEST(SeedGeneratorTest, OutsideAStrategy) {
  SeedGenerator generator(1);
  generator.Build("layer");
  ExpectClose(TwoNumbers(generator), {0.78749514f, 0.3906511f});
  Random random = generator.Draw("Test", 2);
  EXPECT_EQ(static_cast<int64_t>(random.Next64()), -1648345058620875413);
  EXPECT_EQ(static_cast<int64_t>(random.Next64()), 1494989255412213957);
}

TEST(SeedGeneratorTest, FirstReplica) {
  SeedGenerator generator(1);
  generator.Build("layer");
  const PretendedReplica replica(0, 1);
  ExpectClose(TwoNumbers(generator), {0.231259f, 0.914113f});
  ExpectClose(TwoNumbers(generator), {0.867657f, 0.69737f});
}

TEST(SeedGeneratorTest, SeedsOf64Bits) {
  SeedGenerator one(int64_t{1} << 62), other(0);
  one.Build("one");
  other.Build("other");
  EXPECT_NE(TwoNumbers(one), TwoNumbers(other));
}

TEST(SeedGeneratorTest, DefaultSeed) {
  const auto draw = [] {
    SeedGenerator generator(std::nullopt);
    generator.Build("layer");
    return TwoNumbers(generator);
  };
  SetRandomSeed(3);
  const std::vector<float> first = draw();
  EXPECT_NE(draw(), first);
  SetRandomSeed(3);
  EXPECT_EQ(draw(), first);
}

TEST(SeedGeneratorTest, RefusesToShareOneStream) {
  SeedGenerator generator(1);
  generator.Build("layer");
  const PretendedReplica replica(0, 2);
  ExpectError([&] { generator.Draw("RandomFlip", 1); },
              Code::kFailedPrecondition,
              "[RandomFlip] 'layer/seed_generator/seed_generator_state' was "
              "made outside the scope");
}

}  // namespace
}  // namespace lockstep
