#include "reference/autodiff/variable.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep {
namespace {

VariableOptions Named(const std::string& name) {
  return {.initial_value = [] { return Tensor::Scalar(1.0f); }, .name = name};
}

TEST(VariableTest, WithoutACreatorAPlainOneIsMade) {
  const VariablePtr v = MakeVariable(Named("v"));
  EXPECT_EQ(v->name(), "v");
  EXPECT_EQ(v->Read().item<float>(), 1.0f);
}

TEST(VariableTest, CreatorsNestAndTheInnermostIsAskedFirst) {
  std::vector<std::string> asked;
  VariableCreatorScope outer([&](const VariableOptions& options) {
    asked.push_back("outer");
    return MakeVariable(options);
  });
  {
    VariableCreatorScope inner([&](VariableOptions options) {
      asked.push_back("inner");
      options.name = "renamed_" + options.name;
      return MakeVariable(options);
    });
    EXPECT_EQ(MakeVariable(Named("v"))->name(), "renamed_v");
  }
  EXPECT_EQ(asked, (std::vector<std::string>{"inner", "outer"}));
  MakeVariable(Named("v"));
  EXPECT_EQ(asked.back(), "outer");
  EXPECT_EQ(asked.size(), 3u);
}

TEST(VariableTest, ACheckpointSeesOneNamedValue) {
  const VariablePtr v = MakeVariable(Named("dense/kernel"));
  const auto values = v->values();
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].attribute, "VARIABLE_VALUE");
  EXPECT_EQ(values[0].full_name, "dense/kernel");
  EXPECT_EQ(values[0].spec, (TensorSpec{Shape{}, DType::kFloat32}));
  EXPECT_EQ(values[0].save().item<float>(), 1.0f);
  values[0].restore(Tensor::Scalar(7.0f));
  EXPECT_EQ(v->Read().item<float>(), 7.0f);
}

}  // namespace
}  // namespace lockstep
