#include "reference/losses/loss.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/losses/context_testing.h"

namespace lockstep::losses {
namespace {

using Floats = std::vector<float>;

// The predictions are the losses.
class Identity : public Loss {
 public:
  explicit Identity(Reduction reduction) : Loss("identity", reduction) {}

 protected:
  Tensor Call(const Tensor&, const Tensor& y_pred) const override {
    return y_pred;
  }
};

const Tensor kLosses = Tensor::FromVector<float>({1, 2, 3, 6});

TEST(LossTest, Reduces) {
  EXPECT_EQ(Identity(Reduction::kNone)(kLosses, kLosses).ToVector<float>(),
            (Floats{1, 2, 3, 6}));
  EXPECT_EQ(Identity(Reduction::kSum)(kLosses, kLosses).item<float>(), 12);
  EXPECT_EQ(
      Identity(Reduction::kSumOverBatchSize)(kLosses, kLosses).item<float>(),
      3);
  EXPECT_EQ(Identity(Reduction::kAuto)(kLosses, kLosses).item<float>(), 3);
}

TEST(LossTest, WeightsComeBeforeTheReduction) {
  const Tensor weights = Tensor::FromVector<float>({1, 0, 0, 2});
  EXPECT_EQ(Identity(Reduction::kSum)(kLosses, kLosses, weights).item<float>(),
            13);
  // Divided by the number of losses, not by the sum of the weights.
  EXPECT_EQ(Identity(Reduction::kAuto)(kLosses, kLosses, weights).item<float>(),
            3.25);
  EXPECT_EQ(
      Identity(Reduction::kNone)(kLosses, kLosses, weights).ToVector<float>(),
      (Floats{1, 0, 0, 12}));
  EXPECT_EQ(CodeOf([&] {
              Identity(Reduction::kSum)(kLosses, kLosses,
                                        Tensor::FromVector<float>({1, 2}));
            }),
            Code::kInvalidArgument);
}

TEST(LossTest, AnEmptyBatchLosesNothing) {
  const Tensor none = Tensor::Zeros(Shape{0});
  for (const Reduction reduction : {Reduction::kAuto, Reduction::kSum}) {
    EXPECT_EQ(Identity(reduction)(none, none).item<float>(), 0);
  }
  EXPECT_EQ(Identity(Reduction::kNone)(none, none).num_elements(), 0);
}

TEST(LossTest, UnderAStrategyOnlySumAndNoneAreAllowed) {
  for (const int replicas : {1, 2}) {
    for (const bool cross_replica : {false, true}) {
      const FakeContext context(replicas, cross_replica);
      EXPECT_EQ(Identity(Reduction::kSum)(kLosses, kLosses).item<float>(), 12);
      EXPECT_EQ(Identity(Reduction::kNone)(kLosses, kLosses).num_elements(), 4);
      for (const Reduction mean :
           {Reduction::kAuto, Reduction::kSumOverBatchSize}) {
        EXPECT_EQ(CodeOf([&] { Identity{mean}(kLosses, kLosses); }),
                  Code::kInvalidArgument);
        EXPECT_EQ(Identity(mean).PerExample(kLosses, kLosses).num_elements(),
                  4);
      }
    }
  }
}

TEST(LossTest, TheErrorNamesTheReductionsThatWork) {
  const FakeContext context(2);
  try {
    Identity{Reduction::kAuto}(kLosses, kLosses);
    FAIL() << "took a mean under a strategy";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("SUM or NONE"), std::string::npos) << message;
    EXPECT_NE(message.find("got AUTO"), std::string::npos) << message;
  }
}

TEST(LossTest, ReductionNamesParseBack) {
  for (const Reduction reduction :
       {Reduction::kAuto, Reduction::kNone, Reduction::kSum,
        Reduction::kSumOverBatchSize}) {
    EXPECT_EQ(ParseReduction(ReductionName(reduction)), reduction);
  }
  EXPECT_EQ(ReductionName(Reduction::kSumOverBatchSize), "SUM_OVER_BATCH_SIZE");
  EXPECT_EQ(CodeOf([] { ParseReduction("MEAN"); }), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::losses
