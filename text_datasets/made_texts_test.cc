#include "text_datasets/made_texts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

TEST(MadePairsTest, AreSentencesOfTheGrammar) {
  ASSERT_EQ(CountTranslationPairs(), 8000);
  const auto pairs = MakeTranslationPairs(8000);
  EXPECT_EQ(pairs[0], (TranslationPair{"the dog sees the ball",
                                       "der Hund sieht den Ball"}));
  const std::set<TranslationPair> all(pairs.begin(), pairs.end());
  EXPECT_EQ(all.size(), 8000u);
  for (const TranslationPair& pair :
       {TranslationPair{"the girl does not know the river",
                        "das M\u00e4dchen kennt den Fluss nicht"},
        {"now the cat does not like the garden",
         "jetzt mag die Katze den Garten nicht"},
        {"at night the queen looks for the lamp",
         "in der Nacht sucht die K\u00f6nigin die Lampe"}}) {
    EXPECT_TRUE(all.contains(pair)) << pair.source;
  }
}

TEST(MadePairsTest, AShorterListIsTheBeginning) {
  const auto some = MakeTranslationPairs(10), more = MakeTranslationPairs(100);
  EXPECT_EQ(some, std::vector(more.begin(), more.begin() + 10));
  EXPECT_EQ(CodeOf([] { MakeTranslationPairs(8001); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { MakeTranslationPairs(-1); }), Code::kInvalidArgument);
}

TEST(MadePairsTest, DataSaysThatItIsMade) {
  const TranslationData data = MakeTranslationData(100);
  EXPECT_EQ(data.train.size() + data.test.size(), 100u);
  EXPECT_TRUE(data.description.starts_with("made, English to German ("));
}

TEST(StoriesTest, KeepTheirSubjectAndThing) {
  const auto stories = MakeStories({.count = 50, .sentences = 4});
  ASSERT_EQ(stories.size(), 50u);
  for (const auto& story : stories) {
    ASSERT_EQ(story.size(), 4u);
    const auto thing = [](const std::string& sentence) {
      return sentence.substr(sentence.rfind("the "));
    };
    for (const std::string& sentence : story) {
      EXPECT_EQ(thing(sentence), thing(story[0]));
    }
  }
  // A story does not depend on how many there are.
  EXPECT_EQ(MakeStories({.count = 2, .sentences = 4})[1], stories[1]);
  EXPECT_NE(stories[0], stories[1]);
  EXPECT_EQ(CodeOf([] { MakeStories({.count = -1}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { MakeStories({.sentences = 0}); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
