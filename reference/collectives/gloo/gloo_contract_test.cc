// The contract of every Group, for workers that Gloo connects.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "reference/collectives/gloo/gloo_testing.h"
#include "reference/collectives/group_contract.h"

namespace lockstep {
namespace {

GroupBackend Workers(int size) {
  return {.name = "Workers" + std::to_string(size),
          .algorithm = "GlooAllReduce",
          .make =
              [size] {
                return GlooRanks::Make(
                    size, {.leave_limit = std::chrono::milliseconds(100)});
              },
          .outlives_deadlines = false};
}

INSTANTIATE_TEST_SUITE_P(Gloo, GroupContract, testing::Values(Workers(3)),
                         NameOfBackend);

}  // namespace
}  // namespace lockstep
