#include "reference/layers/transformer/dropout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error_testing.h"
#include "reference/base/threads.h"
#include "reference/device/fake_gpu.h"
#include "reference/kernels/random/dropout_mask.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using FloatList = std::vector<float>;

// One of four replicas.
class ReplicaOfFour : public DistributionContext {
 public:
  explicit ReplicaOfFour(int replica) : replica_(replica), scope_(*this) {}

  int num_replicas_in_sync() const override { return 4; }
  ReplicaId replica_id_in_sync_group() const override {
    return ReplicaId(replica_);
  }

 private:
  int replica_;
  DistributionContextScope scope_;
};

const Tensor kOnes = Tensor::Full(Shape{4, 100}, 1.0f);

FloatList MaskOf(const Dropout& dropout) {
  return dropout(kOnes, /*training=*/true).ToVector<float>();
}

TEST(DropoutMaskTest, TeamsAgree) {
  const Tensor alone = kernels::DropoutMask(Shape{3, 9999}, 0.3, 5);
  ThreadTeam team(3);
  const ThreadTeamScope scope(&team);
  EXPECT_TRUE(
      BitwiseEqual(kernels::DropoutMask(Shape{3, 9999}, 0.3, 5), alone));
  EXPECT_FALSE(
      BitwiseEqual(kernels::DropoutMask(Shape{3, 9999}, 0.3, 6), alone));
}

TEST(DropoutMaskTest, DropsTheGivenShare) {
  for (const double rate : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    const FloatList mask =
        kernels::DropoutMask(Shape{100000}, rate, 1).ToVector<float>();
    const auto left_out = static_cast<double>(std::ranges::count(mask, 0));
    EXPECT_NEAR(left_out / 1e5, rate, 0.005);  // more than three deviations
    const auto kept = static_cast<float>(1 / (1 - rate));
    EXPECT_TRUE(std::ranges::all_of(
        mask, [&](float element) { return element == 0 || element == kept; }));
  }
  EXPECT_EQ(kernels::DropoutMask(Shape{0, 3}, 0.5, 1).num_elements(), 0);
  EXPECT_EQ(CodeOf([] { kernels::DropoutMask(Shape{1}, -0.1, 1); }),
            Code::kInvalidArgument);
}

TEST(DropoutTest, OnlyInTraining) {
  const Dropout dropout(0.5);
  EXPECT_EQ(dropout(kOnes).id(), kOnes.id());
  const Dropout none(0);
  EXPECT_EQ(none(kOnes, /*training=*/true).id(), kOnes.id());
  EXPECT_NE(MaskOf(dropout), kOnes.ToVector<float>());
}

TEST(DropoutTest, CallsHaveDifferentMasks) {
  const Dropout dropout(0.5, {.seed = 7});
  const FloatList first = MaskOf(dropout), second = MaskOf(dropout);
  EXPECT_NE(first, second);
  dropout(kOnes);  // does not count
  const FloatList third = MaskOf(dropout);
  const Dropout same(0.5, {.seed = 7});
  EXPECT_EQ(MaskOf(same), first);
  EXPECT_EQ(MaskOf(same), second);
  EXPECT_EQ(MaskOf(same), third);
  EXPECT_NE(MaskOf(Dropout(0.5, {.seed = 8})), first);
}

TEST(DropoutTest, ReplicasHaveDifferentMasks) {
  std::vector<FloatList> masks;
  for (const int replica : {0, 1, 3}) {
    const Dropout dropout(0.5, {.seed = 7});
    const ReplicaOfFour context(replica);
    masks.push_back(MaskOf(dropout));
    masks.push_back(MaskOf(dropout));
  }
  std::ranges::sort(masks);
  EXPECT_EQ(std::ranges::adjacent_find(masks), masks.end());
}

TEST(DropoutTest, DefaultSeed) {
  SetRandomSeed(3);
  const FloatList first = MaskOf(Dropout(0.5));
  EXPECT_NE(MaskOf(Dropout(0.5)), first);
  SetRandomSeed(3);
  EXPECT_EQ(MaskOf(Dropout(0.5)), first);
}

// The state that a checkpoint stores.
Variable& StateOf(const Dropout& dropout) {
  const Trackable::Child generator = dropout.trackable()->children().at(0);
  EXPECT_EQ(generator.name, "seed_generator");
  const Trackable::Child state = generator.object->children().at(0);
  EXPECT_EQ(state.name, "seed_generator_state");
  return dynamic_cast<Variable&>(*state.object);
}

TEST(DropoutTest, StateIsTrackedButNotAWeight) {
  const Dropout dropout(0.5, {.seed = 7});
  MaskOf(dropout);
  const FloatList second = MaskOf(dropout);
  EXPECT_EQ(StateOf(dropout).Read().ToVector<int64_t>(),
            (std::vector<int64_t>{7, 2}));
  EXPECT_TRUE(dropout.variables().empty());
  const Dropout other(0.5);
  other.Build(kOnes.shape());
  StateOf(other).Assign(Tensor::FromVector<int64_t>({7, 1}));
  EXPECT_EQ(MaskOf(other), second);
}

TEST(DropoutTest, GradientIsTheMask) {
  const Dropout dropout(0.25, {.seed = 1});
  GradientTape tape;
  tape.Watch(kOnes);
  const Tensor y = dropout(kOnes, /*training=*/true);
  EXPECT_EQ(tape.Gradient(y, std::vector<Tensor>{kOnes})[0]->ToVector<float>(),
            y.ToVector<float>());
}

TEST(DropoutTest, RefusesWrongArguments) {
  ExpectError([] { Dropout(1.5); }, Code::kInvalidArgument,
              "[Dropout] rate must be in [0, 1], got 1.5");
  FakeGpu gpu;
  const Dropout dropout(0.5);
  dropout.Build(Shape{4, 100});
  const Tensor there = kOnes.To(gpu.device());
  EXPECT_EQ(CodeOf([&] { dropout(there, /*training=*/true); }),
            Code::kUnimplemented);
}

TEST(DropoutTest, Config) {
  const LayerConfig config =
      Dropout(0.3, {.seed = 7, .name = "d"}).impl().Config();
  EXPECT_EQ(config.class_name, "Dropout");
  EXPECT_EQ(config.config["rate"], 0.3);
  EXPECT_EQ(config.config["seed"], 7);
  EXPECT_EQ(Dropout(0.3).impl().Config().config["seed"], nullptr);
}

}  // namespace
}  // namespace lockstep
