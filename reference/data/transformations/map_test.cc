#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

Structure Double(const Structure& x) {
  return x.Map<Tensor>([](const Tensor& leaf) {
    Tensor result = leaf.Clone();
    for (int64_t i = 0; i < leaf.num_elements(); ++i) {
      result.mutable_data<int64_t>()[i] *= 2;
    }
    return result;
  });
}

TEST(MapTest, AppliesTheFunctionToEveryElement) {
  const Dataset doubled = Dataset::Range(3).Map(Double);
  EXPECT_EQ(ReadNumbers(doubled), (Numbers{0, 2, 4}));
  EXPECT_EQ(doubled.cardinality(), 3);
}

TEST(MapTest, MayChangeTheFormOfElements) {
  const Dataset pairs = Dataset::Range(2).Map([](const Structure& x) {
    return Structure::Dict({{"y", Double(x)}, {"x", x}});
  });
  EXPECT_EQ(ReadAll(pairs), (Texts{"{x: 0, y: 0}", "{x: 1, y: 2}"}));
}

TEST(MapTest, SpecIsFoundByTryingZeros) {
  const auto cast = [](const Structure& x) -> Structure {
    return x.leaf().Cast(DType::kFloat32);
  };
  EXPECT_EQ(ToString(Dataset::Range(3).Map(cast).element_spec().leaf()),
            "float32 ()");
  EXPECT_EQ(
      ToString(Dataset::Range(3).Batch(2).Map(cast).element_spec().leaf()),
      "float32 (None,)");
}

TEST(MapTest, SpecThatIsGivenIsChecked) {
  const SpecStructure spec = TensorSpec{Shape{kUnknownDim}, DType::kInt64};
  const Dataset right = Dataset::Range(4).Batch(2).Map(Double, spec);
  EXPECT_EQ(ToString(right.element_spec().leaf()), "int64 (None,)");
  EXPECT_EQ(ReadNumbers(right), (Numbers{0, 2, 4, 6}));
  const Dataset wrong = Dataset::Range(4).Map(Double, spec);
  ExpectError([&] { wrong.MakeIterator().GetNext(); }, Code::kInvalidArgument,
              "[Map] got an element int64 (), wanted int64 (None,)");
}

TEST(MapTest, AFunctionThatRefusesZerosNeedsASpec) {
  const Dataset refuses = Dataset::Range(1, 3).Map([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 0) throw OutOfRange("[Lookup] no 0");
    return x;
  });
  EXPECT_EQ(ReadNumbers(refuses), (Numbers{1, 2}));
  ExpectError([&] { refuses.element_spec(); }, Code::kInvalidArgument,
              "give its output_spec: [Lookup] no 0");
}

TEST(MapTest, AnErrorSurfacesAtItsElementAndReadingGoesOn) {
  const Dataset failing = Dataset::Range(3).Map([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 1) throw Unavailable("[Read] busy");
    return x;
  });
  DatasetIterator iterator = failing.MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 0);
  ExpectError([&] { iterator.GetNext(); }, Code::kUnavailable, "busy");
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 2);
  ExpectError([&] { iterator.GetNext(); }, Code::kOutOfRange,
              "End of sequence");
}

TEST(MapTest, NeedsAFunction) {
  ExpectError([] { Dataset::Range(1).Map(nullptr); }, Code::kInvalidArgument,
              "[Map] there is no function");
}

}  // namespace
}  // namespace lockstep
