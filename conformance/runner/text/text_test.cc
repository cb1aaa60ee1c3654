#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/runner/text/json_file.h"
#include "conformance/runner/text/name_forms.h"
#include "conformance/runner/text/readable_text.h"
#include "conformance/runner/text/shell_word.h"
#include "conformance/runner/text/similar_names.h"

namespace lockstep {
namespace {

// Long enough to exhaust the stack with one call per character.
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

TEST(NameFormsTest, StarMatchesTextWithoutSlash) {
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

TEST(NameFormsTest, ManyStarsAreFast) {
  std::string stars;
  for (int i = 0; i < 1000; ++i) stars += "a*";
  EXPECT_FALSE(PatternMatches("a/b/" + stars + "b", "a/b/" + Long()));
  EXPECT_TRUE(PatternMatches("a/b/" + stars, "a/b/" + Long()));
}

TEST(ReadableTextTest, ReplacesInvalidUtf8) {
  EXPECT_EQ(ReadableText("gr\xc3\xbcn\n"), "gr\xc3\xbcn\n");
  EXPECT_EQ(ReadableText("gr\xfcn"), "gr\xef\xbf\xbdn");
  EXPECT_EQ(ReadableText("\xff"), "\xef\xbf\xbd");
}

TEST(ReadableTextTest, EscapesControlCharacters) {
  EXPECT_EQ(ReadableText("\x1b[2J\r\a\x7f\tone\ntwo"),
            "\\x1b[2J\\x0d\\x07\\x7f\tone\ntwo");
  EXPECT_EQ(ReadableText("\u009b2J \u202eabc\u2066"),
            "\\u009b2J \\u202eabc\\u2066");
  EXPECT_EQ(ReadableText(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(ReadableText("\u00e4 \u20ac \U0001f600"),
            "\u00e4 \u20ac \U0001f600");
}

TEST(ReadableTextTest, LineIsCutAndHasNoLineEnds) {
  EXPECT_EQ(ReadableLine("one\ntwo\x1b"), "one\\ntwo\\x1b");
  EXPECT_EQ(ReadableLine(std::string(1000, 'x')), std::string(1000, 'x'));
  EXPECT_EQ(ReadableLine(std::string(1007, 'x')),
            std::string(1000, 'x') + "... (7 bytes more)");
  // A character of two bytes is not cut in two.
  EXPECT_EQ(ReadableLine(std::string(999, 'x') + "\u00e4"),
            std::string(999, 'x') + "... (2 bytes more)");
}

TEST(ReadableTextTest, ExcerptShowsThatMoreFollows) {
  EXPECT_EQ(ReadableExcerpt("short"), "short");
  EXPECT_EQ(ReadableExcerpt(std::string(120, 'x')), std::string(120, 'x'));
  EXPECT_EQ(ReadableExcerpt(std::string(121, 'x')),
            std::string(120, 'x') + "...");
}

TEST(CompactJsonTest, OneLine) {
  EXPECT_EQ(OneLineJson(Json::parse(R"({"a":1,"b":[true,null,"x"],"c":{}})")),
            R"({"a": 1, "b": [true, null, "x"], "c": {}})");
  EXPECT_EQ(OneLineJson(0.1), "0.1");
}

TEST(CompactJsonTest, ShortValueIsOnOneLine) {
  EXPECT_EQ(CompactJson(Json::parse(R"({"a":[[2,2],[1,1]]})")),
            "{\"a\": [[2, 2], [1, 1]]}\n");
}

TEST(CompactJsonTest, LongValueIsIndented) {
  const std::string words(100, 'w');
  EXPECT_EQ(CompactJson({{"first", words}, {"second", {1, 2}}}),
            "{\n  \"first\": \"" + words + "\",\n  \"second\": [1, 2]\n}\n");
}

TEST(CompactJsonTest, CountsCommaAfterValue) {
  const auto line_count = [](size_t letters) {
    const Json value = {{"x", {{"inner", {std::string(letters, 'w')}}}},
                        {"y", std::string(100, 'w')}};
    const std::string text = CompactJson(value);
    return std::ranges::count(text, '\n');
  };
  // `  "x": {"inner": ["wwww"]},`: 23 columns without the letters.
  EXPECT_EQ(line_count(110 - 23), 4);
  EXPECT_EQ(line_count(110 - 23 + 1), 6);
}

TEST(CompactJsonTest, CountsCharacters) {
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\u00e9";
  EXPECT_EQ(CompactJson({accents}), "[\"" + accents + "\"]\n");
}

TEST(CompactJsonTest, ReplacesInvalidBytes) {
  EXPECT_EQ(OneLineJson("a\xff"), "\"a\ufffd\"");
}

TEST(CompactJsonTest, EntriesHaveOneLineEach) {
  const std::string words(100, 'w');
  EXPECT_EQ(
      CompactJson({{"entries", {{{"id", 1}}, {{"id", 2}}}}, {"words", words}}),
      "{\n  \"entries\": [\n    {\"id\": 1},\n    {\"id\": 2}\n  "
      "],\n  \"words\": \"" +
          words + "\"\n}\n");
}

// Testees may send deeply nested values.
TEST(CompactJsonTest, NestedListsAreIndented) {
  Json value = Json::array({std::string(101, 'w')});
  for (int level = 0; level < 3; ++level) value = Json::array({value});
  EXPECT_EQ(CompactJson(value), "[\n  [\n    [\n      [\n        \"" +
                                    std::string(101, 'w') +
                                    "\"\n      ]\n    ]\n  ]\n]\n");
}

TEST(CompactJsonTest, IsLongerThanCountsBytes) {
  const Json value = Json::parse(R"({"a":[1,2]})");  // {"a": [1, 2]}
  EXPECT_TRUE(IsLongerThan(12, value));
  EXPECT_FALSE(IsLongerThan(13, value));
  EXPECT_TRUE(IsLongerThan(3, "ab"));
  EXPECT_FALSE(IsLongerThan(4, "ab"));
}

TEST(SimilarNamesTest, NamesThatContainTheWordComeFirst) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(SimilarNames("pytorch", {"jax", "pytorch_ddp", "pytorc"}),
            Names{"pytorch_ddp"});
  EXPECT_EQ(SimilarNames("keras", {"tf_keras", "jax", "keras"}),
            (Names{"tf_keras", "keras"}));
}

TEST(SimilarNamesTest, CloseNamesAreOrderedByDistance) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(SimilarNames("tensorflo", {"keras", "tensorflow"}),
            Names{"tensorflow"});
  EXPECT_EQ(SimilarNames("input/baches", {"input/batch", "input/batches"}),
            (Names{"input/batches", "input/batch"}));
  EXPECT_EQ(SimilarNames("jxa", {"jax"}), Names{});  // two letters of three
}

TEST(SimilarNamesTest, OtherNamesAreNotSuggested) {
  EXPECT_TRUE(SimilarNames("colours", {"keras", "jax"}).empty());
  EXPECT_TRUE(SimilarNames("", {"keras"}).empty());
  EXPECT_TRUE(SimilarNames(std::string(100000, 'x'), {"keras"}).empty());
  EXPECT_EQ(SimilarNames("a", std::vector<std::string>(99, "ab")).size(), 10u);
}

TEST(SimilarNamesTest, SuggestsInWords) {
  EXPECT_EQ(SuggestNames("kras", {"keras"}), "; did you mean keras?");
  EXPECT_EQ(SuggestNames("keras", {"tf_keras", "keras"}),
            "; did you mean one of tf_keras, keras?");
  EXPECT_EQ(SuggestNames("colours", {"keras"}), "");
}

TEST(ShellWordTest, IsQuotedIfNecessary) {
  EXPECT_EQ(ShellWord("--filter=input/x/y"), "--filter=input/x/y");
  EXPECT_EQ(ShellWord("my cases"), "'my cases'");
  EXPECT_EQ(ShellWord("it's"), R"('it'\''s')");
  EXPECT_EQ(ShellWord("input/*"), "'input/*'");
  EXPECT_EQ(ShellWord(""), "''");
}

}  // namespace
}  // namespace lockstep
