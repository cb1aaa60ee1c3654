// Expected values: TensorFlow 2.21.
#include "reference/data/ragged/ragged.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

Structure ThreeRows() {
  return MakeRagged(Tensor::FromVector<int64_t>({5, 6, 7}),
                    Tensor::FromVector<int64_t>({0, 2, 2, 3}));
}

TEST(RaggedTest, HasRows) {
  EXPECT_EQ(RaggedRows(ThreeRows()), 3);
  EXPECT_EQ(ToString(RaggedRow(ThreeRows(), 0)), "[5, 6]");
  EXPECT_EQ(ToString(RaggedRow(ThreeRows(), 1)), "[]");
  ExpectError([] { RaggedRow(ThreeRows(), 3); }, Code::kInvalidArgument,
              "[RaggedRow] row 3 of 3 does not exist");
}

TEST(RaggedTest, IsPaddedToTheLongestRow) {
  EXPECT_EQ(ToString(RaggedToDense(ThreeRows())), "[[5, 6], [0, 0], [7, 0]]");
  EXPECT_EQ(ToString(RaggedToDense(ThreeRows(), -1)),
            "[[5, 6], [-1, -1], [7, -1]]");
  EXPECT_EQ(ToString(RaggedToDense(
                MakeRagged(Tensor::FromVector<std::string>({"a"}),
                           Tensor::FromVector<int64_t>({0, 1, 1})))),
            "[['a'], ['']]");
  EXPECT_EQ(ToString(RaggedToDense(
                MakeRagged(Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2}),
                           Tensor::FromVector<int64_t>({0, 0, 2})))),
            "[[[0, 0], [0, 0]], [[1, 2], [3, 4]]]");
  ExpectError([] { RaggedToDense(ThreeRows(), 0.5); }, Code::kInvalidArgument,
              "[RaggedToDense] int64 cannot be padded by 0.5");
}

TEST(RaggedTest, SplitsFitTheValues) {
  const auto refuses = [](const std::vector<int64_t>& splits) {
    ExpectError(
        [&] {
          MakeRagged(Tensor::FromVector<int64_t>({5, 6}),
                     Tensor::FromVector<int64_t>(splits));
        },
        Code::kInvalidArgument, "[MakeRagged] row_splits must begin with 0");
  };
  refuses({});
  refuses({0, 3});
  refuses({0, 1});
  refuses({1, 2});
  refuses({0, 2, 1, 2});
  ExpectError(
      [] {
        RaggedToDense(Structure::Dict(
            {{"row_splits", Tensor::FromVector<int64_t>({0, 9})},
             {"values", Tensor::FromVector<int64_t>({5})}}));
      },
      Code::kInvalidArgument, "[RaggedToDense] row_splits must begin with 0");
  ExpectError([] { RaggedRows(Tensor::Scalar<float>(1)); },
              Code::kInvalidArgument, "[RaggedRows] wanted a ragged batch");
}

}  // namespace
}  // namespace lockstep
