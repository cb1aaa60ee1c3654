#include "reference/kernels/concat.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

Tensor Column(float a, float b) {
  return Tensor::FromVector<float>({a, b}, Shape{2, 1});
}

TEST(ConcatTest, AlongAnyAxis) {
  const std::array<Tensor, 2> columns{Column(1, 2), Column(3, 4)};
  const Tensor wide = Concat(columns, 1);
  EXPECT_EQ(wide.shape(), (Shape{2, 2}));
  EXPECT_EQ(wide.ToVector<float>(), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_TRUE(BitwiseEqual(Concat(columns, -1), wide));
  const Tensor tall = Concat(columns, 0);
  EXPECT_EQ(tall.shape(), (Shape{4, 1}));
  EXPECT_EQ(tall.ToVector<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(ConcatTest, EmptyPiecesAndStrings) {
  const std::array<Tensor, 2> rows{Tensor::Empty(Shape{0, 1}), Column(1, 2)};
  EXPECT_EQ(Concat(rows, 0).ToVector<float>(), (std::vector<float>{1, 2}));
  const std::array<Tensor, 2> words{Tensor::FromVector<std::string>({"a"}),
                                    Tensor::FromVector<std::string>({"b"})};
  EXPECT_EQ(Concat(words, 0).ToVector<std::string>(),
            (std::vector<std::string>{"a", "b"}));
}

TEST(ConcatTest, RefusesWhatDoesNotFit) {
  ExpectInvalid([] { Concat({}, 0); }, "got no tensors");
  const std::array<Tensor, 2> shapes{Column(1, 2), Tensor::Zeros(Shape{2, 2})};
  ExpectInvalid([&] { Concat(shapes, 0); },
                "float32 (2, 2) does not continue float32 (2, 1)");
  const std::array<Tensor, 2> types{Column(1, 2),
                                    Column(1, 2).Cast(DType::kInt32)};
  ExpectInvalid([&] { Concat(types, 0); }, "int32");
  ExpectInvalid([&] { Concat(types, 2); }, "axis 2");
}

}  // namespace
}  // namespace lockstep::kernels
