#include "conformance/runner/name_forms.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep {
namespace {

// Enough to exhaust a stack at a call for each character.
std::string Long() { return std::string(1'000'000, 'a'); }

TEST(NameFormsTest, Names) {
  for (const char* name : {"a", "batch_sizes", "x2", "a_"}) {
    EXPECT_TRUE(IsName(name)) << name;
  }
  for (const char* name :
       {"", "_a", "2x", "aB", "a-b", "a b", "a.b", "\u00e4"}) {
    EXPECT_FALSE(IsName(name)) << name;
  }
  EXPECT_TRUE(IsName(Long()));
  EXPECT_FALSE(IsName(Long() + "A"));
}

TEST(NameFormsTest, CaseIds) {
  EXPECT_TRUE(IsCaseId("input/rebatch/last_batch_is_split"));
  EXPECT_TRUE(IsCaseId("1/2_/_3"));
  for (const std::string& id : std::vector<std::string>{
           "", "a", "a/b", "a/b/c/d", std::string("/") + "a/b", "a//b", "a/b/",
           "A/b/c", "a/b/c*"}) {
    EXPECT_FALSE(IsCaseId(id)) << id;
  }
  EXPECT_TRUE(IsCaseId("a/b/" + Long()));
}

TEST(NameFormsTest, CasePatterns) {
  EXPECT_TRUE(IsCasePattern("input/*/last_*"));
  EXPECT_TRUE(IsCasePattern("a/b/c"));
  EXPECT_FALSE(IsCasePattern("*"));
  EXPECT_FALSE(IsCasePattern("a/b/c?"));
  EXPECT_TRUE(IsCasePattern("a/b/" + Long() + "*"));
}

TEST(NameFormsTest, AStarStandsForAnyTextWithoutASlash) {
  const std::string id = "input/rebatch/last_batch";
  for (const char* pattern :
       {"input/rebatch/last_batch", "*/*/*", "input/*/last_*", "*put/re*/*b*h",
        "input/rebatch/**last_batch*", "i*t/*batch*/l*_*t*h"}) {
    EXPECT_TRUE(PatternMatches(pattern, id)) << pattern;
  }
  for (const char* pattern :
       {"*", "*/*", "*/*/*/*", "input/*", "input/rebatch/last", "*/*/batch",
        "input/*/last_*s", "input/rebatch/last_batch/"}) {
    EXPECT_FALSE(PatternMatches(pattern, id)) << pattern;
  }
}

TEST(NameFormsTest, ManyStarsTakeNoTime) {
  std::string stars;
  for (int i = 0; i < 1000; ++i) stars += "a*";
  EXPECT_FALSE(PatternMatches("a/b/" + stars + "b", "a/b/" + Long()));
  EXPECT_TRUE(PatternMatches("a/b/" + stars, "a/b/" + Long()));
}

}  // namespace
}  // namespace lockstep
