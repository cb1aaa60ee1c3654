// Some rounds of killing and stopping; kill_rounds.cc runs as many as one likes.
#include <gtest/gtest.h>

#include "reference/parameter_server/coordinator/processes/kill_round_testing.h"

namespace lockstep {
namespace {

class KillRoundTest : public testing::TestWithParam<KillRoundOptions> {};

TEST_P(KillRoundTest, EachFunctionIsAppliedOnceAndNothingIsLeft) {
  EXPECT_EQ(RunKillRound(GetParam()).Problem(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(
    , KillRoundTest,
    testing::Values(KillRoundOptions{.seed = 1}, KillRoundOptions{.seed = 2},
                    KillRoundOptions{.seed = 3, .workers = 1},
                    KillRoundOptions{.seed = 4, .kills_server = true}));

}  // namespace
}  // namespace lockstep
