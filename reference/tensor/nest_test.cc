#include "reference/tensor/nest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep {
namespace {

TEST(ShapeTest, RankDimensionsAndElements) {
  const Shape shape{64, 28, 28, 1};
  EXPECT_EQ(shape.rank(), 4);
  EXPECT_EQ(shape[1], 28);
  EXPECT_EQ(shape.num_elements(), 50176);
  EXPECT_EQ(Shape{}.rank(), 0);
  EXPECT_EQ(Shape{}.num_elements(), 1);
  EXPECT_EQ((Shape{3, 0}).num_elements(), 0);
}

TEST(ShapeTest, EqualityComparesDimensionsOfTheRank) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 0}));
  EXPECT_EQ((Shape{7, 2, 3}).Tail(), (Shape{2, 3}));
}

TEST(ShapeTest, Changes) {
  const Shape shape{4, 28};
  EXPECT_EQ(shape.WithDim(0, 5), (Shape{5, 28}));
  EXPECT_EQ(shape.Tail(), (Shape{28}));
  EXPECT_EQ(shape.Prepend(2), (Shape{2, 4, 28}));
  EXPECT_EQ(Shape{}.Prepend(2), (Shape{2}));
  EXPECT_EQ(shape, (Shape{4, 28}));
}

TEST(ShapeTest, UnknownDimensions) {
  EXPECT_TRUE((Shape{1, 2}).fully_defined());
  EXPECT_TRUE(Shape{}.fully_defined());
  EXPECT_FALSE((Shape{kUnknownDim, 2}).fully_defined());
}

TEST(ShapeTest, IsWrittenAsATuple) {
  EXPECT_EQ(ToString(Shape{}), "()");
  EXPECT_EQ(ToString(Shape{5}), "(5,)");
  EXPECT_EQ(ToString(Shape{2, 3}), "(2, 3)");
  EXPECT_EQ(ToString(Shape{kUnknownDim, 3}), "(None, 3)");
}

TEST(ShapeTest, RefusesTooManyAndNegativeDimensions) {
  const std::vector<int64_t> eight(8, 1), nine(9, 1);
  EXPECT_EQ(Shape(eight).rank(), 8);
  EXPECT_THROW(Shape{nine}, Error);
  EXPECT_THROW(Shape(eight).Prepend(1), Error);
  try {
    Shape shape{2, -2};
    FAIL() << "took a negative dimension";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
  }
}

TEST(TensorSpecTest, DescribesATensor) {
  const TensorSpec spec = SpecOf(Tensor::Zeros(Shape{2, 3}, DType::kInt64));
  EXPECT_EQ(spec, (TensorSpec{Shape{2, 3}, DType::kInt64}));
  EXPECT_NE(spec, (TensorSpec{Shape{2, 3}, DType::kFloat32}));
  EXPECT_NE(spec, (TensorSpec{Shape{3, 2}, DType::kInt64}));
}

TEST(TensorSpecTest, IsWrittenWithNoneForAnUnknownDimension) {
  EXPECT_EQ(ToString(TensorSpec{Shape{kUnknownDim, 28}, DType::kUInt8}),
            "uint8 (None, 28)");
}

using Numbers = Nest<int>;

Numbers Example() {
  return Numbers::Dict(
      {{"y", 3}, {"x", Numbers::Tuple({1, Numbers::Tuple({2})})}});
}

TEST(NestTest, ALeafIsANest) {
  const Numbers leaf = 7;
  EXPECT_TRUE(leaf.is_leaf());
  EXPECT_EQ(leaf.leaf(), 7);
  EXPECT_EQ(leaf.Flatten(), std::vector<int>{7});
  EXPECT_EQ(Numbers().leaf(), 0);
}

TEST(NestTest, ItemsByIndexAndKey) {
  const Numbers nest = Example();
  EXPECT_EQ(nest.kind(), NestKind::kDict);
  EXPECT_EQ(nest["y"].leaf(), 3);
  EXPECT_EQ(nest["x"][1][0].leaf(), 2);
  EXPECT_EQ(nest["x"].size(), 2u);
}

TEST(NestTest, DictionariesAreSortedByKey) {
  EXPECT_EQ(Example().keys(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(Example().Flatten(), (std::vector<int>{1, 2, 3}));
}

TEST(NestTest, MapKeepsTheForm) {
  const auto text =
      Example().Map<std::string>([](int i) { return std::to_string(i * 2); });
  EXPECT_EQ(text.Flatten(), (std::vector<std::string>{"2", "4", "6"}));
  EXPECT_TRUE(text.SameFormAs(Example()));
  EXPECT_EQ(text["x"][1][0].leaf(), "4");
}

TEST(NestTest, PackLikeIsTheInverseOfFlatten) {
  const Numbers nest = Example();
  const Numbers packed = nest.PackLike(std::vector<int>{4, 5, 6});
  EXPECT_EQ(packed["x"][0].leaf(), 4);
  EXPECT_EQ(packed.Flatten(), (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(CodeOf([&] { nest.PackLike(std::vector<int>{1}); }),
            Code::kInvalidArgument);
}

TEST(NestTest, FormsDifferInKindKeysAndSizes) {
  EXPECT_FALSE(Numbers(1).SameFormAs(Numbers::Tuple({1})));
  EXPECT_FALSE(Numbers::Tuple({1}).SameFormAs(Numbers::Tuple({1, 2})));
  EXPECT_FALSE(Numbers::Dict({{"a", 1}}).SameFormAs(Numbers::Dict({{"b", 1}})));
  EXPECT_FALSE(Numbers::Tuple({1}).SameFormAs(Numbers::Dict({{"0", 1}})));
  EXPECT_FALSE(
      Numbers::Tuple({Numbers::Tuple({1})}).SameFormAs(Numbers::Tuple({1})));
  EXPECT_TRUE(Numbers::Tuple({}).SameFormAs(Numbers::Tuple({})));
}

TEST(NestTest, WhatIsNotThereIsATypedError) {
  EXPECT_EQ(CodeOf([] { Example()["z"]; }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Example()["x"][2]; }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Numbers(1)[0]; }), Code::kInvalidArgument);
  ExpectError([] { Example().leaf(); }, Code::kInvalidArgument,
              "[Nest] wanted a leaf, got a dictionary of 2 items");
  ExpectError([] { Numbers::Tuple({1}).leaf() = 2; }, Code::kInvalidArgument,
              "[Nest] wanted a leaf, got a tuple of 1 items");
}

TEST(NestTest, StructuresHoldTensors) {
  const Structure element = Structure::Tuple(
      {Tensor::Zeros(Shape{2, 28}), Tensor::FromVector<int64_t>({1, 0})});
  const auto specs = element.Map<TensorSpec>(SpecOf);
  EXPECT_EQ(specs[0].leaf(), (TensorSpec{Shape{2, 28}, DType::kFloat32}));
  EXPECT_EQ(specs[1].leaf(), (TensorSpec{Shape{2}, DType::kInt64}));
}

}  // namespace
}  // namespace lockstep
