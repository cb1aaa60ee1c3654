// The cases of functions on emulated GPUs, where the reference records a
// function's second call and replays it from then on.

#include <gtest/gtest.h>

#include <string>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/verdicts/run_case.h"
#include "conformance/testees/reference/reference_testee.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/device/fake_gpu.h"

namespace lockstep::conformance {
namespace {

class RecordedFunctionsTest : public testing::Test {
 protected:
  CaseResult Run(const Case& conformance_case) {
    return RunCase(conformance_case, testee_, testee_.Start().conventions);
  }
  const Case& Find(const std::string& claim) const {
    for (const Case& each : loader_.cases()) {
      if (each.id == "input/functions/" + claim) return each;
    }
    throw std::logic_error("there is no case " + claim);
  }
  // The rest does not call a function, or only once.
  static constexpr const char* kCases[] = {
      "the_data_s_spec_is_a_signature", "a_signature_is_one_for_all_batches",
      "every_call_computes_with_its_own_argument"};

  FakeGpuCollectives fake_{2, FakeGpu::HostAccess::kAllowed};
  FakeGpuBackend backend_{{&fake_.gpu(0), &fake_.gpu(1)}};
  ReferenceTestee testee_{DeviceKind::kGpu};
  const CaseLoader loader_ = CaseLoader::OfFolder("conformance");
};

TEST_F(RecordedFunctionsTest, RecordedCallsGiveWhatCasesExpect) {
  for (const char* claim : kCases) {
    const CaseResult result = Run(Find(claim));
    EXPECT_TRUE(result.verdict == Verdict::kPassed && result.matches) << claim;
  }
}

TEST_F(RecordedFunctionsTest, TheyAreReplayed) {
  for (const char* claim : kCases) {
    fake_.FailNextLaunch(0);
    const CaseResult result = Run(Find(claim));
    EXPECT_NE(result.verdict, Verdict::kPassed) << claim;
  }
}

}  // namespace
}  // namespace lockstep::conformance
