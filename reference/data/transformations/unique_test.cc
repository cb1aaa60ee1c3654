// Expected values: TensorFlow 2.21.
#include <gtest/gtest.h>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;

TEST(UniqueTest, KeepsFirstOccurrences) {
  const Dataset numbers = Dataset::FromTensorSlices(
      Structure(Tensor::FromVector<int32_t>({1, 37, 2, 37, 2, 1})));
  EXPECT_EQ(ReadAll(numbers.Unique()), (Texts{"1", "37", "2"}));
  EXPECT_EQ(ReadAll(numbers.Unique()), (Texts{"1", "37", "2"}));
  EXPECT_EQ(ReadAll(Dataset::Range(3).Repeat(2).Unique()),
            (Texts{"0", "1", "2"}));
  EXPECT_EQ(numbers.Unique().cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(numbers.Unique().element_spec().leaf()), "int32 ()");
}

TEST(UniqueTest, ComparesStringsAndVectors) {
  const Dataset words = Dataset::FromTensorSlices(
      Structure(Tensor::FromVector<std::string>({"a", "b", "a"})));
  EXPECT_EQ(ReadAll(words.Unique()), (Texts{"'a'", "'b'"}));
  const Dataset pairs = Dataset::FromTensorSlices(Structure(
      Tensor::FromVector<int64_t>({1, 2, 1, 2, 3, 4}).Reshape(Shape{3, 2})));
  EXPECT_EQ(ReadAll(pairs.Unique()), (Texts{"[1, 2]", "[3, 4]"}));
}

// Without the lengths "ab", "" and "a", "b" would be one.
TEST(UniqueTest, TellsShapesAndStringsApart) {
  const Dataset words = Dataset::FromTensorSlices(
      Structure(Tensor::FromVector<std::string>({"ab", "", "a", "b"})
                    .Reshape(Shape{2, 2})));
  EXPECT_EQ(ReadAll(words.Unique()).size(), 2u);
  const Dataset shapes = Dataset::FromTensors(Tensor::FromVector<int64_t>({0}))
                             .Concatenate(Dataset::FromTensors(
                                 Tensor::FromVector<int64_t>({0, 0})));
  EXPECT_EQ(ReadAll(shapes.Unique()).size(), 2u);
}

TEST(UniqueTest, RefusesOtherTypes) {
  const Dataset floats =
      Dataset::FromTensorSlices(Structure(Tensor::FromVector<float>({1, 1})));
  ExpectError([&] { floats.Unique(); }, Code::kInvalidArgument,
              "[Unique] elements must be one tensor of type int32, int64 or "
              "string, got float32 ()");
  ExpectError([] { Dataset::Range(2).Enumerate().Unique(); },
              Code::kInvalidArgument, "got (int64 (), int64 ())");
  const Dataset made = Generated(2).Map(
      [](const Structure& x) { return x.leaf().Cast(DType::kFloat32); });
  ExpectError([&] { made.Unique().MakeIterator().GetNext(); },
              Code::kInvalidArgument, "got float32 ()");
  ExpectError([&] { made.Unique().element_spec(); }, Code::kInvalidArgument,
              "got float32 ()");
}

}  // namespace
}  // namespace lockstep
