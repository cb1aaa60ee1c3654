#include "conformance/runner/commands/testee_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "reference/base/error.h"

namespace lockstep {
namespace {

const std::string& Path() {
  static const std::string* const path =
      new std::string(std::string(std::getenv("TEST_TMPDIR")) + "/t.json");
  return *path;
}

TesteeTable Load(const char* text) {
  std::ofstream(Path()) << text;
  return TesteeTable::Load(Path());
}

std::string Refusal(const char* text) {
  try {
    Load(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kInvalidArgument);
    return e.what();
  }
  return "nothing refused";
}

TEST(TesteeTableTest, FindsByName) {
  const TesteeTable table = Load(R"({"testees": [
    {"name": "mini", "means": "A small one.", "command": ["sh", "mini"]},
    {"name": "mini_fast", "means": "A fast one.", "command": ["sh", "fast"],
     "deviations": "mini"}]})");
  ASSERT_NE(table.Find("mini"), nullptr);
  EXPECT_EQ(table.Find("mini")->command,
            (std::vector<std::string>{"sh", "mini"}));
  EXPECT_EQ(table.Find("mini")->deviations, "mini");
  EXPECT_EQ(table.Find("mini_fast")->deviations, "mini");
  EXPECT_EQ(table.Find("maxi"), nullptr);
}

TEST(TesteeTableTest, RefusesMalformedTables) {
  const std::string lead = "[LoadTestees] " + Path() + " at ";
  EXPECT_EQ(Refusal(R"({"testees": [
    {"name": "a", "means": "A.", "command": ["a"]},
    {"name": "a", "means": "A.", "command": ["a"]}]})"),
            lead + "$.testees[1].name: testee 'a' stands here twice");
  EXPECT_EQ(Refusal(R"({"testees": [
    {"name": "a", "means": "A.", "command": []}]})"),
            lead + "$.testees[0].command: wanted at least one item, got none");
  EXPECT_EQ(Refusal(R"({"testees": [{"name": "a", "means": "A."}]})"),
            lead + "$.testees[0]: the field 'command' is missing");
}

}  // namespace
}  // namespace lockstep
