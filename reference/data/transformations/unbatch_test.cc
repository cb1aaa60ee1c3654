#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(UnbatchTest, RowsBecomeElements) {
  const Dataset rows = Dataset::Range(5).Batch(2).Unbatch();
  EXPECT_EQ(ReadAll(rows), (Texts{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(ToString(rows.element_spec().leaf()), "int64 ()");
  EXPECT_EQ(rows.cardinality(), kUnknownCardinality);
}

TEST(UnbatchTest, EmptyElementsGiveNothing) {
  const Dataset empty =
      Dataset::FromTensors(Tensor::Empty(Shape{0, 3})).Repeat(2).Unbatch();
  EXPECT_EQ(ReadAll(empty), Texts{});
}

TEST(UnbatchTest, ScalarsAndUnequalLeavesAreRefused) {
  ExpectError([] { Dataset::Range(5).Unbatch().element_spec(); },
              Code::kInvalidArgument, "[Unbatch] a scalar has no rows");
  ExpectError([] { Dataset::Range(5).Unbatch().MakeIterator().GetNext(); },
              Code::kInvalidArgument, "[Unbatch] all components need");
  const Dataset unequal = Dataset::FromTensors(
      Structure::Tuple({Tensor::Zeros(Shape{2}), Tensor::Zeros(Shape{3})}));
  ExpectError([&] { unequal.Unbatch().MakeIterator().GetNext(); },
              Code::kInvalidArgument, "(float32 (2,), float32 (3,))");
}

}  // namespace
}  // namespace lockstep
