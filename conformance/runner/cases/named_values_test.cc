#include "conformance/runner/cases/named_values.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conformance/runner/cases/case_loader_testing.h"

namespace lockstep {
namespace {

TEST(NamedValuesTest, ReplacesNamesAnywhere) {
  const Json program = Json::parse(
      R"([{"step": "a.b", "of": [{"literal": "x"}, 1]}, {"literal": "y"}])");
  EXPECT_EQ(WithValues(program, "literal", {{"x", {1, 2}}, {"y", "z"}}),
            Json::parse(R"([{"step": "a.b", "of": [[1, 2], 1]}, "z"])"));
}

TEST(NamedValuesTest, OnlyAnObjectOfOneTextIsAName) {
  EXPECT_EQ(NameIn({{"literal", "x"}}, "literal"), "x");
  EXPECT_EQ(NameIn({{"parameter", "x"}}, "literal"), std::nullopt);
  EXPECT_EQ(NameIn({{"literal", 1}}, "literal"), std::nullopt);
  EXPECT_EQ(NameIn({{"literal", "x"}, {"more", 1}}, "literal"), std::nullopt);
  EXPECT_EQ(NameIn("literal", "literal"), std::nullopt);
}

class FileWithLiterals : public CaseLoaderTest {
 protected:
  static Json File(const Json& literals) {
    Json named = RightCase();
    named["program"][0]["stop"] = {{"literal", "two"}};
    Json plain = RightCase();
    plain["id"] = "input/numbers/another";
    return {{"topic", "Numbers"},
            {"literals", literals},
            {"cases", {named, plain}}};
  }
};

TEST_F(FileWithLiterals, FillsInLiterals) {
  const std::vector<Case> cases = Load(File({{"two", 2}}));
  ASSERT_EQ(cases.size(), 2);
  EXPECT_EQ(cases[0].program, cases[1].program);
}

TEST_F(FileWithLiterals, RefusesUnknownLiteral) {
  EXPECT_EQ(Refusal([&] {
              Load(File({{"three", 3}}));
            }),
            "$.cases[0].program[0].stop: 'literals' of this file has no 'two'");
}

TEST_F(FileWithLiterals, RefusesUnusedLiteral) {
  EXPECT_EQ(Refusal([&] {
              Load(File({{"three", 3}, {"two", 2}}));
            }),
            "$.literals.three: the programs of this file do not use 'three'");
}

}  // namespace
}  // namespace lockstep
