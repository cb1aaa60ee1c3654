// operations.md describes the steps the reference can do, all and no others.
#include <gtest/gtest.h>

#include "conformance/runner/operations.h"
#include "conformance/testees/reference/step_table.h"

namespace lockstep::conformance {
namespace {

TEST(StepsAreDescribedTest, DocumentAndTableNameTheSameSteps) {
  const StepTable table = MakeStepTable();
  StepNames implemented;
  for (const auto& [name, function] : table.steps()) {
    implemented.insert(name);
  }
  EXPECT_EQ(implemented, LoadStepNames("conformance/operations.md"));
}

}  // namespace
}  // namespace lockstep::conformance
