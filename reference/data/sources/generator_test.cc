#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

const SpecStructure kScalar = TensorSpec{Shape{}, DType::kInt64};

// 0..count-1, then ends; throws `error` in place of number `fails_at`.
template <typename Exception = std::runtime_error>
Dataset Counting(int64_t count, int64_t fails_at = -1,
                 Exception error = Exception("broken")) {
  return Dataset::FromGenerator(
      [=] {
        return [=, next = int64_t{0}]() mutable -> std::optional<Structure> {
          if (next == count) return std::nullopt;
          if (next++ == fails_at) throw error;
          return Structure(Tensor::Scalar<int64_t>(next - 1));
        };
      },
      kScalar);
}

TEST(FromGeneratorTest, StartsAnewEachPass) {
  const Dataset three = Counting(3);
  EXPECT_EQ(ReadNumbers(three), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadNumbers(three.Repeat(2)), (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(three.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(three.element_spec().leaf()), "int64 ()");
}

TEST(FromGeneratorTest, IsNotCalledAgainAfterItsEnd) {
  auto calls = std::make_shared<int>(0);
  const Dataset none = Dataset::FromGenerator(
      [calls] {
        return [calls]() -> std::optional<Structure> {
          ++*calls;
          return std::nullopt;
        };
      },
      kScalar);
  DatasetIterator iterator = none.MakeIterator();
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_EQ(*calls, 1);
}

TEST(FromGeneratorTest, ItsExceptionsAreInvalidArgument) {
  DatasetIterator iterator = Counting(3, 1).MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 0);
  ExpectError([&] { iterator.GetNext(); }, Code::kInvalidArgument,
              "[FromGenerator] the generator failed: broken");
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 2);
}

TEST(FromGeneratorTest, TypedErrorsKeepTheirType) {
  const Dataset failing = Counting(3, 0, DataLoss("[Read] checksum is wrong"));
  ExpectError([&] { failing.MakeIterator().GetNext(); }, Code::kDataLoss,
              "[Read] checksum is wrong");
}

TEST(FromGeneratorTest, ElementsMustHaveTheSpec) {
  const SpecStructure row = TensorSpec{Shape{kUnknownDim, 2}, DType::kFloat32};
  const auto yield = [&](const Structure& element) {
    return Dataset::FromGenerator(
        [element] { return [element] { return std::optional(element); }; },
        row);
  };
  EXPECT_NO_THROW(yield(Tensor::Zeros(Shape{5, 2})).MakeIterator().GetNext());
  for (const Structure& wrong :
       {Structure(Tensor::Zeros(Shape{5, 3})),
        Structure(Tensor::Zeros(Shape{2})),
        Structure(Tensor::Zeros(Shape{5, 2}, DType::kInt32)),
        Structure::Tuple({Tensor::Zeros(Shape{5, 2})})}) {
    ExpectError([&] { yield(wrong).MakeIterator().GetNext(); },
                Code::kInvalidArgument, "wanted float32 (None, 2)");
  }
}

TEST(FromGeneratorTest, NeedsAFunction) {
  ExpectError([] { Dataset::FromGenerator(nullptr, kScalar); },
              Code::kInvalidArgument, "[FromGenerator] there is no generator");
}

}  // namespace
}  // namespace lockstep
