#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(FromTensorsTest, IsOneElement) {
  const Tensor t = Tensor::FromVector<int64_t>({1, 2});
  const Dataset one = Dataset::FromTensors(Structure::Dict({{"x", t}}));
  EXPECT_EQ(ReadAll(one), Texts{"{x: [1, 2]}"});
  EXPECT_EQ(ReadAll(one), Texts{"{x: [1, 2]}"});
  EXPECT_EQ(one.cardinality(), 1);
  EXPECT_EQ(ToString(one.element_spec()["x"].leaf()), "int64 (2,)");
}

TEST(FromTensorsTest, RepeatsAndBatches) {
  const Dataset one = Dataset::FromTensors(Tensor::Scalar<int64_t>(4));
  EXPECT_EQ(ReadAll(one.Repeat(3).Batch(2)), (Texts{"[4, 4]", "[4]"}));
}

TEST(FromTensorsTest, UndefinedTensorsAreRefused) {
  ExpectError([] { Dataset::FromTensors(Tensor()); }, Code::kInvalidArgument,
              "[FromTensors] a tensor holds nothing");
}

}  // namespace
}  // namespace lockstep
