// No case is passed by a testee that does nothing, and no case about several
// replicas is passed on a single one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <future>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/testees/miniatures/passed_for_nothing.h"

namespace lockstep {
namespace {

using testing::IsEmpty;

std::vector<std::string> NamesOfNulls() {
  FILE* const pipe = popen(
      "/usr/bin/python3 -S conformance/testees/miniatures/nulls.py --list",
      "r");
  std::ostringstream text;
  std::array<char, 4096> buffer;
  while (const size_t size = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.write(buffer.data(), static_cast<std::streamsize>(size));
  }
  EXPECT_EQ(pclose(pipe), 0);
  std::istringstream words(text.str());
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(NullsTest, NullsPassNoCase) {
  const std::vector<std::string> names = NamesOfNulls();
  ASSERT_THAT(names, testing::Contains("echo_a_replica"));
  std::vector<std::set<std::string>> passed(names.size());
  std::atomic<size_t> next = 0;
  const auto run_nulls = [&] {
    for (size_t i = next++; i < names.size(); i = next++) {
      passed[i] = PassedByNull(names[i]);
    }
  };
  auto other = std::async(std::launch::async, run_nulls);
  run_nulls();
  other.get();
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_THAT(passed[i], IsEmpty())
        << names[i] << " passes these: give them an absolute value, or a "
        << "positive control";
  }
}

TEST(NullsTest, OneReplicaPassesNoCaseOfSeveral) {
  EXPECT_THAT(PassedByOneReplica(), IsEmpty())
      << "add an observation that needs all replicas";
}

}  // namespace
}  // namespace lockstep
