// The order of words with equal counts is that of Keras 3.15.1's adapt.
#include "reference/preprocessing/words/vocabulary/word_counts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep::words_internal {
namespace {

using Document = std::vector<std::string>;

WordCounts Count(const std::vector<Document>& documents) {
  WordCounts counts;
  for (const Document& document : documents) {
    for (const std::string& word : document) counts.Add(word);
    counts.EndDocument();
  }
  return counts;
}

std::vector<std::string> WordsOf(const std::vector<WordCount>& counts) {
  std::vector<std::string> words;
  for (const WordCount& count : counts) words.emplace_back(count.word);
  return words;
}

TEST(WordCountsTest, CountsWordsAndTheirDocuments) {
  const WordCounts counts = Count({{"a", "b", "b"}, {"b", "c"}, {"b"}});
  EXPECT_EQ(counts.words(),
            (std::vector<WordCount>{{"a", 1, 1}, {"b", 4, 3}, {"c", 1, 1}}));
  EXPECT_EQ(counts.documents(), 3);
}

TEST(WordCountsTest, TheMostFrequentFirstThenTheLastInOrder) {
  const WordCounts counts = Count({{"b", "a", "b", "c", "d", "\xff"}});
  EXPECT_EQ(WordsOf(counts.MostFrequent()),
            (Document{"b", "\xff", "d", "c", "a"}));
  EXPECT_EQ(WordsOf(counts.MostFrequent(2)), (Document{"b", "\xff"}));
  EXPECT_EQ(WordsOf(counts.MostFrequent(0)), Document{});
}

TEST(WordCountsTest, WithoutSomeWords) {
  const WordCounts counts = Count({{"", "b", "", "c"}});
  const std::vector<std::string_view> special = {"", "[UNK]"};
  EXPECT_EQ(WordsOf(counts.MostFrequent(1, special)), Document{"c"});
}

TEST(WordCountsTest, CopiesAreIndependent) {
  WordCounts counts = Count({{"a"}});
  const WordCounts copy = counts;
  for (int i = 0; i < 1000; ++i) counts.Add(std::to_string(i));
  EXPECT_EQ(copy.words(), (std::vector<WordCount>{{"a", 1, 1}}));
}

// Few different words, so that parts have some in common.
rc::Gen<std::vector<Document>> Documents() {
  const auto word = rc::gen::elementOf(
      Document{"", "a", "b", "c", "aa", "ab", "a b", "\xff", "é"});
  return rc::gen::resize(12, rc::gen::container<std::vector<Document>>(
                                 rc::gen::container<Document>(word)));
}

RC_GTEST_PROP(WordCountsProperty, MergedPartsAreTheWhole, ()) {
  const std::vector<Document> first = *Documents();
  const std::vector<Document> second = *Documents();
  std::vector<Document> all = first;
  all.insert(all.end(), second.begin(), second.end());
  WordCounts merged = Count(first);
  merged.Merge(Count(second));
  const WordCounts whole = Count(all);
  RC_ASSERT(merged.words() == whole.words());
  RC_ASSERT(merged.documents() == whole.documents());
  RC_ASSERT(merged.MostFrequent() == whole.MostFrequent());
}

RC_GTEST_PROP(WordCountsProperty, TheOrderOfPartsDoesNotMatter, ()) {
  const WordCounts a = Count(*Documents());
  const WordCounts b = Count(*Documents());
  WordCounts ab = a;
  ab.Merge(b);
  WordCounts ba = b;
  ba.Merge(a);
  RC_ASSERT(ab.MostFrequent() == ba.MostFrequent());
}

RC_GTEST_PROP(WordCountsProperty, CountsAsAMapDoes, ()) {
  const std::vector<Document> documents = *Documents();
  std::map<std::string, int64_t> expected;
  for (const Document& document : documents) {
    for (const std::string& word : document) ++expected[word];
  }
  const WordCounts counts = Count(documents);
  RC_ASSERT(counts.size() == std::ssize(expected));
  for (const WordCount& count : counts.words()) {
    RC_ASSERT(expected[std::string(count.word)] == count.count);
  }
}

struct Split {
  std::string text;
  std::vector<size_t> bytes;  // of each character
};

// As ICU divides them, by tf.strings.unicode_split of TensorFlow 2.21.
TEST(Utf8Test, Characters) {
  const std::vector<Split> splits = {{"é日😀", {2, 3, 4}},
                                     {"a\xff"
                                      "b",
                                      {1, 1, 1}},
                                     {"\xe3\x81", {2}},
                                     {"\xe3\x81z", {2, 1}},
                                     {"\xed\xa0\x80x", {1, 1, 1, 1}},
                                     {"\xf4\x90\x80\x80y", {1, 1, 1, 1, 1}},
                                     {"\xc0\x80", {1, 1}},
                                     {"\xf0\x9f\x98"
                                      "a",
                                      {3, 1}},
                                     {"\x80\x80", {1, 1}},
                                     {"\xe3(", {1, 1}},
                                     {"\xe0\x80\x80", {1, 1, 1}},
                                     {"\xf8\x88\x80\x80\x80", {1, 1, 1, 1, 1}},
                                     {"\xe3\x81\xff", {2, 1}},
                                     {"\xf0\x80\x80\x80", {1, 1, 1, 1}},
                                     {"\xc3\xc3\xa9", {1, 2}},
                                     {"\xf0\x9f\xe3\x81\x82", {2, 3}},
                                     {"\xf5\x80\x80\x80", {1, 1, 1, 1}}};
  for (const Split& split : splits) {
    std::string_view rest = split.text;
    for (const size_t bytes : split.bytes) {
      ASSERT_EQ(FirstCharacter(rest).bytes, bytes) << split.text;
      rest.remove_prefix(bytes);
    }
    EXPECT_EQ(rest, "");
  }
}

TEST(Utf8Test, Validity) {
  for (const std::string valid : {"", "a", "é日😀", "\xef\xbf\xbe"}) {
    EXPECT_TRUE(IsUtf8(valid)) << valid;
  }
  for (const std::string invalid :
       {"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80"}) {
    EXPECT_FALSE(IsUtf8(invalid)) << invalid;
  }
}

}  // namespace
}  // namespace lockstep::words_internal
