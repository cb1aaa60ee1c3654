#include "conformance/runner/compact_json.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep {
namespace {

TEST(CompactJsonTest, OneLine) {
  EXPECT_EQ(OneLineJson(Json::parse(R"({"a":1,"b":[true,null,"x"],"c":{}})")),
            R"({"a": 1, "b": [true, null, "x"], "c": {}})");
  EXPECT_EQ(OneLineJson(0.1), "0.1");
}

TEST(CompactJsonTest, WhatFitsStandsOnOneLine) {
  EXPECT_EQ(CompactJson(Json::parse(R"({"a":[[2,2],[1,1]]})")),
            "{\"a\": [[2, 2], [1, 1]]}\n");
}

TEST(CompactJsonTest, WhatDoesNotFitIsIndented) {
  const std::string words(100, 'w');
  EXPECT_EQ(CompactJson({{"first", words}, {"second", {1, 2}}}),
            "{\n  \"first\": \"" + words + "\",\n  \"second\": [1, 2]\n}\n");
}

TEST(CompactJsonTest, TheCommaBehindTheValueCounts) {
  const auto line_count = [](size_t letters) {
    const Json value = {{"x", {{"inner", {std::string(letters, 'w')}}}},
                        {"y", std::string(100, 'w')}};
    const std::string text = CompactJson(value);
    return std::ranges::count(text, '\n');
  };
  // `  "x": {"inner": ["wwww"]},`: 23 columns besides the letters.
  EXPECT_EQ(line_count(110 - 23), 4);
  EXPECT_EQ(line_count(110 - 23 + 1), 6);
}

TEST(CompactJsonTest, CharactersCountNotBytes) {
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\u00e9";
  EXPECT_EQ(CompactJson({accents}), "[\"" + accents + "\"]\n");
}

TEST(CompactJsonTest, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(OneLineJson("a\xff"), "\"a\ufffd\"");
}

TEST(CompactJsonTest, ListsOfEntriesHaveALineEach) {
  const std::string words(100, 'w');
  EXPECT_EQ(
      CompactJson({{"entries", {{{"id", 1}}, {{"id", 2}}}}, {"words", words}}),
      "{\n  \"entries\": [\n    {\"id\": 1},\n    {\"id\": 2}\n  "
      "],\n  \"words\": \"" +
          words + "\"\n}\n");
}

}  // namespace
}  // namespace lockstep
