#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(EnumerateTest, CountsFromStart) {
  const Dataset letters =
      Dataset::FromTensorSlices(Tensor::FromVector<std::string>({"a", "b"}));
  EXPECT_EQ(ReadAll(letters.Enumerate()), (Texts{"(0, 'a')", "(1, 'b')"}));
  EXPECT_EQ(ReadAll(letters.Enumerate(5)), (Texts{"(5, 'a')", "(6, 'b')"}));
  EXPECT_EQ(ReadAll(letters.Enumerate(-1)), (Texts{"(-1, 'a')", "(0, 'b')"}));
}

TEST(EnumerateTest, KeepsCardinality) {
  EXPECT_EQ(Dataset::Range(3).Enumerate().cardinality(), 3);
  const Dataset unknown =
      Dataset::Range(3).Filter([](const Structure&) { return true; });
  EXPECT_EQ(unknown.Enumerate().cardinality(), kUnknownCardinality);
}

TEST(EnumerateTest, SpecIsAPair) {
  const SpecStructure spec =
      Dataset::Range(4).Batch(2).Enumerate().element_spec();
  EXPECT_EQ(ToString(spec[0].leaf()), "int64 ()");
  EXPECT_EQ(ToString(spec[1].leaf()), "int64 (None,)");
}

}  // namespace
}  // namespace lockstep
