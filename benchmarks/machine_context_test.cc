#include "benchmarks/machine_context.h"

#include <gtest/gtest.h>

#include <regex>
#include <thread>

namespace lockstep::benchmarks {
namespace {

TEST(MachineContextTest, TellsMachineVersionsAndCommit) {
  const Json context = MachineContext();
  EXPECT_EQ(context["num_cpus"].get<unsigned>(),
            std::thread::hardware_concurrency());
  EXPECT_GT(context["memory_bytes"].get<int64_t>(), 0);
  EXPECT_FALSE(context["cpu_model"].get<std::string>().empty());
  EXPECT_TRUE(std::regex_match(context["onednn"].get<std::string>(),
                               std::regex(R"(\d+\.\d+\.\d+)")));
  EXPECT_TRUE(std::regex_match(context["commit"].get<std::string>(),
                               std::regex("[0-9a-f]{40}|unknown")));
  EXPECT_TRUE(context["commit_has_changes"].is_boolean());
}

TEST(MachineContextTest, DateIsIso8601InUtc) {
  EXPECT_TRUE(std::regex_match(
      CurrentDate(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00)")))
      << CurrentDate();
}

}  // namespace
}  // namespace lockstep::benchmarks
