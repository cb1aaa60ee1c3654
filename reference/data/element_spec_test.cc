#include "reference/data/element_spec.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep::data_internal {
namespace {

TensorSpec Float(const Shape& shape) { return {shape, DType::kFloat32}; }

TEST(ElementSpecTest, DescribesNests) {
  const SpecStructure spec = SpecStructure::Tuple(
      {Float({kUnknownDim, 2}), SpecStructure::Dict({{"b", Float({})}})});
  EXPECT_EQ(DescribeSpec(spec), "(float32 (None, 2), {b: float32 ()})");
}

TEST(ElementSpecTest, AxesComeAndGo) {
  const SpecStructure spec = Float({3});
  EXPECT_EQ(PrependAxis(spec, 5).leaf(), Float({5, 3}));
  EXPECT_EQ(RemoveAxis("Test", PrependAxis(spec, 5)).leaf(), Float({3}));
  EXPECT_THROW(RemoveAxis("Test", SpecStructure(Float({}))), Error);
}

TEST(ElementSpecTest, MergingForgetsDimensionsThatDiffer) {
  EXPECT_EQ(MergeSpecs("Test", Float({2, 3}), Float({4, 3})).leaf(),
            Float({kUnknownDim, 3}));
  EXPECT_THROW(MergeSpecs("Test", Float({2}), Float({2, 2})), Error);
  EXPECT_THROW(MergeSpecs("Test", Float({2}), TensorSpec{{2}, DType::kInt32}),
               Error);
}

TEST(ElementSpecTest, UndefinedTensorsFitNoSpec) {
  EXPECT_THROW(CheckElement("Test", Float({}), Tensor()), Error);
}

}  // namespace
}  // namespace lockstep::data_internal
