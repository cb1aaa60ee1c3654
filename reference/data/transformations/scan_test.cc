// Expected values: TensorFlow 2.21.
#include <gtest/gtest.h>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

const Structure kZero = Tensor::Scalar<int64_t>(0);

ScanStep AddUp(const Structure& sum, const Structure& x) {
  const Structure next = Tensor::Scalar<int64_t>(sum.leaf().item<int64_t>() +
                                                 x.leaf().item<int64_t>());
  return {.state = next, .output = next};
}

TEST(ScanTest, AddsUp) {
  const Dataset sums = Dataset::Range(5).Scan(kZero, AddUp);
  EXPECT_EQ(ReadNumbers(sums), (Numbers{0, 1, 3, 6, 10}));
  EXPECT_EQ(ReadNumbers(sums), (Numbers{0, 1, 3, 6, 10}));
  EXPECT_EQ(sums.cardinality(), 5);
  EXPECT_EQ(ToString(sums.element_spec().leaf()), "int64 ()");
}

TEST(ScanTest, StateMayGrow) {
  const auto append = [](const Structure& list, const Structure& x) {
    std::vector<int64_t> numbers(list.leaf().span<int64_t>().begin(),
                                 list.leaf().span<int64_t>().end());
    numbers.push_back(x.leaf().item<int64_t>());
    const Structure next = Tensor::FromVector<int64_t>(numbers);
    return ScanStep{.state = next, .output = next};
  };
  const Dataset lists = Dataset::Range(3).Scan(
      Tensor::FromVector<int64_t>(std::vector<int64_t>{}), append);
  EXPECT_EQ(ReadAll(lists), (Texts{"[0]", "[0, 1]", "[0, 1, 2]"}));
  EXPECT_EQ(ToString(lists.element_spec().leaf()), "int64 (None,)");
}

TEST(ScanTest, RefusesAStateOfAnotherType) {
  const auto to_float = [](const Structure& state, const Structure& x) {
    return ScanStep{.state = state.leaf().Cast(DType::kFloat32), .output = x};
  };
  ExpectError(
      [&] { Dataset::Range(2).Scan(kZero, to_float).MakeIterator().GetNext(); },
      Code::kInvalidArgument,
      "[Scan] the function returned a state float32 (), wanted the form and "
      "types of the initial one, int64 ()");
  const auto to_pair = [](const Structure& state, const Structure& x) {
    return ScanStep{.state = Structure::Tuple({state, x}), .output = x};
  };
  ExpectError(
      [&] { Dataset::Range(2).Scan(kZero, to_pair).MakeIterator().GetNext(); },
      Code::kInvalidArgument, "a state (int64 (), int64 ()), wanted");
}

TEST(ScanTest, ErrorLeavesTheState) {
  const auto failing = [](const Structure& sum, const Structure& x) {
    if (x.leaf().item<int64_t>() == 2) throw DataLoss("[Read] damaged");
    return AddUp(sum, x);
  };
  DatasetIterator sums = Dataset::Range(4).Scan(kZero, failing).MakeIterator();
  EXPECT_EQ(ToText(sums.GetNext()), "0");
  EXPECT_EQ(ToText(sums.GetNext()), "1");
  ExpectError([&] { sums.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(ToText(sums.GetNext()), "4");
  EXPECT_FALSE(sums.GetNextAsOptional().has_value());
}

TEST(ScanTest, ChecksTheGivenSpec) {
  const SpecStructure vector = TensorSpec{Shape{kUnknownDim}, DType::kInt64};
  const Dataset wrong = Dataset::Range(2).Scan(kZero, AddUp, vector);
  EXPECT_EQ(ToString(wrong.element_spec().leaf()), "int64 (None,)");
  ExpectError([&] { wrong.MakeIterator().GetNext(); }, Code::kInvalidArgument,
              "[Scan] got an element int64 (), wanted int64 (None,)");
  ExpectError([] { Dataset::Range(1).Scan(kZero, nullptr); },
              Code::kInvalidArgument, "[Scan] there is no function");
}

}  // namespace
}  // namespace lockstep
