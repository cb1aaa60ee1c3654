#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(ConcatenateTest, OneAfterTheOther) {
  const Dataset both = Dataset::Range(2).Concatenate(Dataset::Range(5, 7));
  EXPECT_EQ(ReadNumbers(both), (Numbers{0, 1, 5, 6}));
  EXPECT_EQ(both.cardinality(), 4);
}

TEST(ConcatenateTest, EitherMayBeEmpty) {
  const Dataset none = Dataset::Range(0);
  EXPECT_EQ(ReadNumbers(none.Concatenate(Dataset::Range(2))), (Numbers{0, 1}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(2).Concatenate(none)), (Numbers{0, 1}));
  EXPECT_EQ(ReadNumbers(none.Concatenate(none)), Numbers{});
}

TEST(ConcatenateTest, CardinalityOfInfiniteAndUnknown) {
  const Dataset some = Dataset::Range(2);
  const Dataset unknown = some.Filter([](const Structure&) { return true; });
  EXPECT_EQ(some.Concatenate(some.Repeat()).cardinality(),
            kInfiniteCardinality);
  EXPECT_EQ(some.Concatenate(unknown).cardinality(), kUnknownCardinality);
}

TEST(ConcatenateTest, DimensionsThatDifferAreUnknown) {
  const Dataset a = Dataset::Range(4).Batch(2, true);
  const Dataset b = Dataset::Range(3).Batch(3, true);
  EXPECT_EQ(ToString(a.Concatenate(b).element_spec().leaf()), "int64 (None,)");
  EXPECT_EQ(ReadAll(a.Concatenate(b)),
            (Texts{"[0, 1]", "[2, 3]", "[0, 1, 2]"}));
}

TEST(ConcatenateTest, DifferentKindsOfElementsHaveNoSpec) {
  const Dataset a = Dataset::Range(4);
  const Dataset b = Dataset::FromTensors(Tensor::Scalar(1.0f));
  ExpectError([&] { a.Concatenate(b).element_spec(); }, Code::kInvalidArgument,
              "[Concatenate] int64 () and float32 ()");
  const Dataset pair = Dataset::Zip({a, a});
  ExpectError([&] { a.Concatenate(pair).element_spec(); },
              Code::kInvalidArgument, "[Concatenate]");
}

}  // namespace
}  // namespace lockstep
