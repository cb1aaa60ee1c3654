#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(FromTensorSlicesTest, IsOneElementARow) {
  const Tensor t = Tensor::FromVector<int64_t>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  const Dataset rows = Dataset::FromTensorSlices(t);
  EXPECT_EQ(ReadAll(rows), (Texts{"[1, 2]", "[3, 4]", "[5, 6]"}));
  EXPECT_EQ(rows.cardinality(), 3);
  EXPECT_EQ(ToString(rows.element_spec().leaf()), "int64 (2,)");
}

TEST(FromTensorSlicesTest, SlicesStructuresInStep) {
  const Dataset rows = Dataset::FromTensorSlices(
      Structure::Dict({{"x", Tensor::FromVector<int64_t>({1, 2})},
                       {"y", Tensor::FromVector<std::string>({"a", "b"})}}));
  EXPECT_EQ(ReadAll(rows), (Texts{"{x: 1, y: 'a'}", "{x: 2, y: 'b'}"}));
}

TEST(FromTensorSlicesTest, MayHaveNoRowsOrEmptyRows) {
  EXPECT_EQ(ReadAll(Dataset::FromTensorSlices(Tensor::Zeros(Shape{0, 3}))),
            Texts{});
  EXPECT_EQ(ReadAll(Dataset::FromTensorSlices(Tensor::Zeros(Shape{3, 0}))
                        .Shuffle(3, 1)
                        .Batch(2)),
            (Texts{"[[], []]", "[[]]"}));
}

// Every width that is copied in its own way, for every type.
TEST(FromTensorSlicesTest, ScatteredRowsOfEveryTypeAndWidth) {
  const auto check = [](DType dtype, int64_t width) {
    const Tensor numbers = [&] {
      std::vector<int64_t> values(5 * width);
      for (size_t i = 0; i < values.size(); ++i) values[i] = i % 120;
      return Tensor::FromVector<int64_t>(values, Shape{5, width});
    }();
    const Tensor rows = numbers.Cast(dtype);
    const Structure batch = Dataset::FromTensorSlices(rows)
                                .Shard(2, 0)
                                .Batch(3)
                                .MakeIterator()
                                .GetNext();
    ASSERT_EQ(batch.leaf().dim(0), 3);
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(BitwiseEqual(batch.leaf().Row(i), rows.Row(2 * i)))
          << DTypeName(dtype) << " " << width;
    }
  };
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32,
                            DType::kInt64, DType::kUInt8, DType::kBool}) {
    for (const int64_t width : {0, 1, 2, 3, 4, 7, 8, 16, 63, 100, 1000}) {
      check(dtype, width);
    }
  }
}

TEST(FromTensorSlicesTest, ScatteredRowsOfStrings) {
  const Tensor words = Tensor::FromVector<std::string>(
      {"a", "b", "c", "d", "e", "f"}, Shape{3, 2});
  EXPECT_EQ(ReadAll(Dataset::FromTensorSlices(words).Shard(2, 0).Batch(2)),
            Texts{"[['a', 'b'], ['e', 'f']]"});
}

TEST(FromTensorSlicesTest, ErrorsAreTyped) {
  const Tensor two = Tensor::Zeros(Shape{2});
  ExpectError([] { Dataset::FromTensorSlices(Tensor::Scalar(1.0f)); },
              Code::kInvalidArgument,
              "[FromTensorSlices] a scalar has no rows, got float32 ()");
  ExpectError(
      [&] {
        Dataset::FromTensorSlices(
            Structure::Tuple({two, Tensor::Zeros(Shape{3})}));
      },
      Code::kInvalidArgument, "the same number of rows, got 2 and 3");
  ExpectError([] { Dataset::FromTensorSlices(Structure::Tuple({})); },
              Code::kInvalidArgument, "there are no tensors");
  ExpectError([] { Dataset::FromTensorSlices(Tensor()); },
              Code::kInvalidArgument, "holds nothing");
}

}  // namespace
}  // namespace lockstep
