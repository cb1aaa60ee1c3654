#include "text_datasets/translation_pairs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"

namespace lockstep {
namespace {

// Python 3.11's len(re.findall(r"\w+|[.?!,]", text)) gives these.
TEST(CountWordsTest, CountsAsPythonDoes) {
  EXPECT_EQ(CountWords("Hello, wor_ld! (2)"), 5);
  EXPECT_EQ(CountWords(""), 0);
  EXPECT_EQ(CountWords("a-b; c:d"), 4);
  EXPECT_EQ(CountWords("..."), 3);
  EXPECT_EQ(CountWords("\u00d6ffne die T\u00fcr"), 3);
  // The French quotes, apostrophe, space and dots are no words.
  EXPECT_EQ(CountWords("\u00ab\u00a0l\u2019ami\u00a0\u00bb\u2026"), 2);
}

CatalogEntry EntryOf(const std::string& original,
                     const std::string& translation = "drei kurze Worte") {
  return {"", original, translation, false};
}

TEST(PairsOfTest, ChoosesSentences) {
  const auto is_chosen = [](const CatalogEntry& entry) {
    return PairsOf({entry}).size() == 1;
  };
  EXPECT_TRUE(is_chosen(EntryOf("three short words")));
  EXPECT_FALSE(is_chosen(EntryOf("two words")));
  EXPECT_TRUE(is_chosen(EntryOf("a b c d e f g h i j k l m n o")));
  EXPECT_FALSE(is_chosen(EntryOf("a b c d e f g h i j k l m n o p")));
  EXPECT_TRUE(is_chosen(EntryOf("three short words", "ein")));
  EXPECT_FALSE(is_chosen(EntryOf("three short words", "-")));
  EXPECT_FALSE(is_chosen(EntryOf("three short words", "three short words")));
  EXPECT_FALSE(is_chosen(
      EntryOf("three short words", "a b c d e f g h i j k l m n o p q r s")));
  EXPECT_FALSE(is_chosen({"", "three short words", "drei", true}));
  for (const char* sign : {"<", ">", "%", "{", "}", "\\", "\n"}) {
    EXPECT_FALSE(is_chosen(EntryOf("three short words" + std::string(sign))));
  }
}

TEST(PairsOfTest, EachOnceAndSorted) {
  EXPECT_EQ(PairsOf({EntryOf("b b b"),
                     EntryOf("a a a"),
                     EntryOf("b b b"),
                     {"menu", "a a a", "mit Kontext", false}}),
            (std::vector<TranslationPair>{{"a a a", "drei kurze Worte"},
                                          {"a a a", "mit Kontext"},
                                          {"b b b", "drei kurze Worte"}}));
}

TEST(ReadCatalogPairsTest, ReadsAllPackages) {
  const TestFolder folder;
  for (const char* package : {"one", "two"}) {
    const std::string place =
        folder / package + "/usr/share/locale/de/LC_MESSAGES";
    std::filesystem::create_directories(place);
    WriteWholeFile(place + "/" + package + ".mo",
                   ReadWholeFile("text_datasets/testdata/mo/little_endian.mo"));
  }
  EXPECT_EQ(ReadCatalogPairs(folder.path(), "de"),
            (std::vector<TranslationPair>{
                {"open the file", "\u00f6ffne die Datei"},
                {"the file is missing", "die Datei fehlt"}}));
  EXPECT_EQ(CodeOf([&] { ReadCatalogPairs(folder.path(), "fr"); }),
            Code::kNotFound);
}

TEST(SplitPairsTest, PairsOfOneSourceStayTogether) {
  std::vector<TranslationPair> pairs;
  for (int i = 100; i < 600; ++i) {
    pairs.push_back({std::to_string(i), "a"});
    pairs.push_back({std::to_string(i), "b"});
  }
  const TranslationData data = SplitPairs(pairs);
  EXPECT_EQ(data.train.size() + data.test.size(), 1000u);
  // Of 500 sources; five standard deviations of 9.
  EXPECT_NEAR(static_cast<double>(data.test.size()), 200, 90);
  for (size_t i = 0; i < data.test.size(); i += 2) {
    EXPECT_EQ(data.test[i].source, data.test[i + 1].source);
  }
  EXPECT_TRUE(SplitPairs(pairs, {.test_share = 0}).test.empty());
  EXPECT_TRUE(SplitPairs(pairs, {.test_share = 1}).train.empty());
  EXPECT_EQ(CodeOf([&] { SplitPairs(pairs, {.test_share = 1.5}); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
