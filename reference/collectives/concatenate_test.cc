#include "reference/collectives/concatenate.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

Tensor Matrix(std::vector<float> values, int64_t rows, int64_t columns) {
  return Tensor::FromVector(values, Shape{rows, columns});
}

TEST(ConcatenateTest, JoinsRows) {
  const Tensor joined =
      Concatenate({Matrix({1, 2}, 1, 2), Matrix({3, 4, 5, 6}, 2, 2)}, 0);
  EXPECT_EQ(ToString(joined), "[[1, 2], [3, 4], [5, 6]]");
}

TEST(ConcatenateTest, JoinsColumnsOfDifferentWidth) {
  for (int axis : {1, -1}) {
    const Tensor joined =
        Concatenate({Matrix({1, 2, 3, 4}, 2, 2), Matrix({5, 6}, 2, 1)}, axis);
    EXPECT_EQ(ToString(joined), "[[1, 2, 5], [3, 4, 6]]");
  }
}

TEST(ConcatenateTest, EmptyPartsAddNothing) {
  const Tensor none = Tensor::Zeros(Shape{0});
  const Tensor some = Tensor::FromVector<float>({1, 2, 3});
  EXPECT_EQ(ToString(Concatenate({some, none}, 0)), "[1, 2, 3]");
  EXPECT_EQ(Concatenate({none, none}, 0).shape(), Shape{0});
}

TEST(ConcatenateTest, JoinsTheMiddleAxisAndStrings) {
  const Tensor a = Tensor::FromVector<int32_t>({1, 2, 3, 4}, Shape{2, 1, 2});
  const Tensor b = Tensor::FromVector<int32_t>({5, 6, 7, 8}, Shape{2, 1, 2});
  EXPECT_EQ(ToString(Concatenate({a, b}, 1)),
            "[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]");
  const Tensor text = Tensor::FromVector<std::string>({"a", "b"});
  EXPECT_EQ(ToString(Concatenate({text, text}, 0)), "['a', 'b', 'a', 'b']");
}

TEST(ConcatenateTest, RefusesWhatDoesNotFit) {
  const Tensor row = Matrix({1, 2}, 1, 2);
  const Tensor vector = Tensor::FromVector<float>({1});
  const std::vector<std::pair<std::vector<Tensor>, int>> bad = {
      {{}, 0},
      {{Tensor::Scalar(1.0f)}, 0},
      {{row}, 2},
      {{row}, -3},
      {{row, Matrix({1, 2, 3}, 1, 3)}, 0},
      {{row, vector}, 0},
      {{vector, Tensor::FromVector<int32_t>({1})}, 0},
  };
  for (size_t i = 0; i < bad.size(); ++i) {
    try {
      Concatenate(bad[i].first, bad[i].second);
      FAIL() << "no error in " << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument) << i;
    }
  }
}

}  // namespace
}  // namespace lockstep
