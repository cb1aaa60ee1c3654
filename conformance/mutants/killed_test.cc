// This test is linked with a reference that has a planted bug. The cases that
// the mutant's file names must fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/verdicts/run_case.h"
#include "conformance/testees/reference/reference_testee.h"
#include "conformance/testees/reference/workers/workers_testee.h"

namespace lockstep {
namespace {

TEST(KilledTest, NamedCasesFail) {
  const char* const path = std::getenv("MUTANT");
  ASSERT_NE(path, nullptr);
  const Json mutant = ReadJsonFile(path);
  const CaseLoader loader = CaseLoader::OfFolder("conformance");
  conformance::ReferenceTestee alone;
  conformance::WorkersTestee testee(alone);
  const Dialect dialect = loader.conventions().Complete({});
  ASSERT_FALSE(mutant["killed_by"].empty());
  for (const std::string id : mutant["killed_by"]) {
    const auto found = std::ranges::find(loader.cases(), id, &Case::id);
    ASSERT_NE(found, loader.cases().end()) << id;
    EXPECT_FALSE(RunCase(*found, testee, dialect).matches) << id;
  }
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (const auto ended = lockstep::conformance::ServeIfWorker(argc, argv)) {
    return *ended;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
