#include "text_datasets/plain_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dataset_files/gzip_testing.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "text_datasets/sentences.h"

namespace lockstep {
namespace {

using Sections = std::vector<std::vector<std::string>>;

const std::string kBoats = "text_datasets/testdata/manuals/boats.txt";

// Read by hand from the file.
const Sections kSections = {
    {"This small guide was made up for a test.", "Nothing in it is true."},
    {"A boat has one owner.",
     "Others may borrow it, e.g. The Harbor Club, if Dr. Lee agrees!",
     "\"Why is that so?\"", "(She asks each time.)", "The first part is short.",
     "The second part goes on in another line.", "It has two sentences.",
     "The list has a number here.", "The hull is what holds the water out."},
    {"Oars are lent in pairs.", "The price is 5.50 a day...",
     "A boat has one owner."},
    {"A caf\u00e9 itself is near the harbor.", "\u201cCome in and sit.\u201d",
     "They say that."}};

TEST(ReadPlainTextTest, FindsTheSentencesOfEachSection) {
  EXPECT_EQ(ReadPlainText(kBoats), kSections);
}

TEST(ReadPlainTextTest, ReadsWhatGzipCompressed) {
  const TestFolder folder;
  const std::string archive = Gzip(ReadWholeFile(kBoats));
  WriteWholeFile(folder / "boats.txt.gz", archive);
  EXPECT_EQ(ReadPlainText(folder / "boats.txt.gz"), kSections);
  WriteWholeFile(folder / "half.txt.gz", archive.substr(0, archive.size() / 2));
  ExpectError([&] { ReadPlainText(folder / "half.txt.gz"); }, Code::kDataLoss,
              "[ReadGzip] " + folder.path() + "/half.txt.gz");
  EXPECT_EQ(CodeOf([&] { ReadPlainText(folder / "none.txt"); }),
            Code::kNotFound);
}

TEST(ParsePlainTextTest, TheHeaderTellsThis) {
  EXPECT_EQ(ParsePlainText("1.1. Boats\n\nA boat has one owner. Others may\n"
                           "borrow it, e.g. The Harbor Club.\n\n"
                           "    boat --list\n\n1.2. Oars\n\n"
                           "  * Oars are lent in pairs.\n",
                           "boats.txt"),
            (Sections{{"A boat has one owner.",
                       "Others may borrow it, e.g. The Harbor Club."},
                      {"Oars are lent in pairs."}}));
  EXPECT_TRUE(ParsePlainText("", "empty.txt").empty());
  EXPECT_TRUE(ParsePlainText("\n \n===\n1.1. x", "headings.txt").empty());
}

TEST(ParsePlainTextTest, LinesMayEndAsInOtherSystems) {
  EXPECT_EQ(ParsePlainText("Boats\r\n=====\r\n\r\nA boat\r\nis here.\r\n", "a"),
            (Sections{{"A boat is here."}}));
  EXPECT_EQ(ParsePlainText("A boat is here.", "a"),
            (Sections{{"A boat is here."}}));
}

TEST(ParsePlainTextTest, NamesTheLineThatIsNotUtf8) {
  ExpectError([] { ParsePlainText("A boat\nis h\xe9re.\n", "a.txt"); },
              Code::kDataLoss,
              "[ReadPlainText] a.txt: line 2: the byte e9 at offset 11 is not "
              "UTF-8");
}

TEST(SplitSentencesTest, EndsThemWhereTheyEnd) {
  using Sentences = std::vector<std::string_view>;
  EXPECT_EQ(SplitSentences("Dr. Lee left. \"Why?\" He was, e.g. Late."),
            (Sentences{"Dr. Lee left.", "\"Why?\"", "He was, e.g. Late."}));
  EXPECT_EQ(
      SplitSentences("It is 1.5 m. dpkg runs! 2 boats (or 3.) (Yes.)"),
      (Sentences{"It is 1.5 m. dpkg runs!", "2 boats (or 3.)", "(Yes.)"}));
  EXPECT_EQ(SplitSentences("no end"), Sentences{"no end"});
  EXPECT_EQ(SplitSentences("One. "), Sentences{"One. "});
  EXPECT_TRUE(SplitSentences("").empty());
}

TEST(IsProseTest, WantsWordsAndAnEnd) {
  EXPECT_TRUE(IsProse("He was late."));
  EXPECT_TRUE(IsProse("(\u201cHe was late?\u201d)"));
  EXPECT_FALSE(IsProse("Late again."));
  EXPECT_FALSE(IsProse("he was late."));
  EXPECT_FALSE(IsProse("He was late"));
  EXPECT_FALSE(IsProse("He was late:"));
  EXPECT_FALSE(IsProse("He was. Late again"));
  EXPECT_FALSE(IsProse(""));
  EXPECT_FALSE(IsProse("\"\""));
  EXPECT_FALSE(IsProse("He was\x08 late."));
  for (const char sign : std::string("<>{}|\\=$#")) {
    EXPECT_FALSE(IsProse(std::string("He was ") + sign + " late.")) << sign;
  }
}

}  // namespace
}  // namespace lockstep
