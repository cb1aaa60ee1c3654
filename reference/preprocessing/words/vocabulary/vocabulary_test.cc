// Which files are refused follows TensorFlow 2.21's StringLookup.
#include "reference/preprocessing/words/vocabulary/vocabulary.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/damage.h"
#include "reference/base/fuzzing/rounds.h"

namespace lockstep::words_internal {
namespace {

using Views = std::vector<std::string_view>;

std::vector<std::string> WordsOf(const Vocabulary& vocabulary) {
  std::vector<std::string> words;
  for (int64_t i = 0; i < vocabulary.size(); ++i) {
    words.emplace_back(vocabulary.word(i));
  }
  return words;
}

// The words of a file with these bytes.
std::vector<std::string> Read(const std::string& bytes) {
  const TestFolder folder;
  WriteWholeFile(folder / "words.txt", bytes);
  return WordsOf(*Vocabulary::FromFile(folder / "words.txt"));
}

using Words = std::vector<std::string>;

TEST(VocabularyTest, FindsWords) {
  const VocabularyPtr words = Vocabulary::FromWords(Views{"b", "a", ""});
  EXPECT_EQ(words->size(), 3);
  EXPECT_EQ(words->Find("b"), 0);
  EXPECT_EQ(words->Find("a"), 1);
  EXPECT_EQ(words->Find(""), 2);
  EXPECT_EQ(words->Find("c"), kNoWord);
  EXPECT_EQ(words->word(1), "a");
}

TEST(VocabularyTest, NoWords) {
  const VocabularyPtr words = Vocabulary::FromWords({});
  EXPECT_EQ(words->size(), 0);
  EXPECT_EQ(words->Find(""), kNoWord);
}

TEST(VocabularyTest, WordsOfAnyBytes) {
  const std::string zero("a\0b", 3);
  const VocabularyPtr words =
      Vocabulary::FromWords(Views{"a\nb", zero, "a\r", "\xff"});
  EXPECT_EQ(WordsOf(*words), (Words{"a\nb", zero, "a\r", "\xff"}));
  EXPECT_EQ(words->Find(zero), 1);
}

TEST(VocabularyTest, ManyWords) {
  Words words;
  for (int i = 0; i < 100000; ++i) words.push_back(std::to_string(i));
  const VocabularyPtr vocabulary =
      Vocabulary::FromWords(Views(words.begin(), words.end()));
  for (int i = 0; i < 100000; ++i) {
    ASSERT_EQ(vocabulary->Find(words[static_cast<size_t>(i)]), i);
  }
  EXPECT_EQ(vocabulary->Find("100000"), kNoWord);
}

TEST(VocabularyTest, TheSameWordTwice) {
  ExpectError(
      [] {
        Vocabulary::FromWords(Views{"a", "b", "a"});
      },
      Code::kInvalidArgument, "word 2: 'a' is word 0 already");
}

TEST(VocabularyFileTest, OneWordInEachLine) {
  EXPECT_EQ(Read("a\nb\n"), (Words{"a", "b"}));
  EXPECT_EQ(Read("a\nb"), (Words{"a", "b"}));
  EXPECT_EQ(Read("a"), Words{"a"});
}

TEST(VocabularyFileTest, CarriageReturns) {
  EXPECT_EQ(Read("a\r\nb\r\n"), (Words{"a", "b"}));
  EXPECT_EQ(Read("a\r"), Words{"a"});
  EXPECT_EQ(Read("a\rc\nb\r\r\n"), (Words{"a\rc", "b\r"}));
}

TEST(VocabularyFileTest, OtherBytesArePartOfTheWord) {
  EXPECT_EQ(Read(" a \nb c\n"), (Words{" a ", "b c"}));
  EXPECT_EQ(Read("\xef\xbb\xbf"
                 "a\n"),
            Words{"\xef\xbb\xbf"
                  "a"});
  EXPECT_EQ(Read("a\n[UNK]\n"), (Words{"a", "[UNK]"}));
}

// The code and place of the error that reading a file with these bytes gives.
void ExpectRefused(const std::string& bytes, Code code,
                   const std::string& words) {
  SCOPED_TRACE(bytes);
  ExpectError([&] { Read(bytes); }, code, words);
}

TEST(VocabularyFileTest, RefusesWithTheLine) {
  ExpectRefused("", Code::kOutOfRange, "words.txt: the file has no words");
  ExpectRefused("a\n\nb\n", Code::kInvalidArgument, "words.txt:2: the line");
  ExpectRefused("a\nb\n\n", Code::kInvalidArgument, "words.txt:3: the line");
  ExpectRefused("\n", Code::kInvalidArgument, "words.txt:1: the line");
  ExpectRefused("\r\nb", Code::kInvalidArgument, "words.txt:1: the line");
  ExpectRefused("a\nb\na\n", Code::kFailedPrecondition,
                "words.txt:3: 'a' is in line 1 already");
}

TEST(VocabularyFileTest, MissingFile) {
  const TestFolder folder;
  ExpectError([&] { Vocabulary::FromFile(folder / "none"); }, Code::kNotFound,
              "none");
  ExpectError([&] { Vocabulary::FromFile(folder.path()); },
              Code::kInvalidArgument, "is not a file");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  ExpectError([&] { Vocabulary::FromFile(folder / "pipe"); },
              Code::kInvalidArgument, "is not a file");
}

TEST(VocabularyFileTest, BytesThatAreNotUtf8) {
  const TestFolder folder;
  WriteWholeFile(folder / "words.txt", "a\nb\xff\n");
  const VocabularyPtr words = Vocabulary::FromFile(folder / "words.txt");
  EXPECT_EQ(words->Find("b\xff"), 1);
  EXPECT_EQ(words->Text(0), "a");
  ExpectError([&] { words->Text(1); }, Code::kInvalidArgument,
              "words.txt:2: the word is not UTF-8");
}

class ChangedFileTest : public testing::Test {
 protected:
  ChangedFileTest() { WriteWholeFile(path_, "a\nb\n"); }

  const TestFolder folder_;
  const std::string path_ = folder_ / "words.txt";
};

TEST_F(ChangedFileTest, ADifferentSizeIsNoticed) {
  const VocabularyPtr words = Vocabulary::FromFile(path_);
  words->CheckUnchanged();
  ASSERT_EQ(truncate(path_.c_str(), 2), 0);
  ExpectError([&] { words->CheckUnchanged(); }, Code::kFailedPrecondition,
              "words.txt was changed after it was read (4 bytes then, 2 now)");
}

TEST_F(ChangedFileTest, ADifferentTimeIsNoticed) {
  const VocabularyPtr words = Vocabulary::FromFile(path_);
  const timespec times[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  EXPECT_EQ(CodeOf([&] { words->CheckUnchanged(); }),
            Code::kFailedPrecondition);
}

TEST_F(ChangedFileTest, AReplacedFileStays) {
  const VocabularyPtr words = Vocabulary::FromFile(path_);
  WriteWholeFile(folder_ / "new", "c\n");
  ASSERT_EQ(rename((folder_ / "new").c_str(), path_.c_str()), 0);
  words->CheckUnchanged();
  EXPECT_EQ(WordsOf(*words), (Words{"a", "b"}));
}

// What a file should give, in the simplest way: its words, or the error's code.
struct Expected {
  Words words;
  std::optional<Code> code = std::nullopt;
};

Expected Expect(std::string text) {
  if (text.empty()) return {{}, Code::kOutOfRange};
  if (text.back() != '\n') text.push_back('\n');
  Expected expected;
  std::map<std::string, int> seen;
  while (!text.empty()) {
    std::string line = text.substr(0, text.find('\n'));
    text.erase(0, line.size() + 1);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) return {{}, Code::kInvalidArgument};
    if (seen[line]++ > 0) return {{}, Code::kFailedPrecondition};
    expected.words.push_back(line);
  }
  return expected;
}

// Whether reading a file with these bytes gives what it should.
bool ReadsAsExpected(const std::string& path, const std::string& bytes) {
  WriteWholeFile(path, bytes);
  const Expected expected = Expect(bytes);
  try {
    const VocabularyPtr words = Vocabulary::FromFile(path);
    if (expected.code || WordsOf(*words) != expected.words) return false;
    for (size_t i = 0; i < expected.words.size(); ++i) {
      if (words->Find(expected.words[i]) != static_cast<int64_t>(i)) {
        return false;
      }
    }
    return true;
  } catch (const Error& error) {
    return error.code() == expected.code;
  }
}

RC_GTEST_PROP(VocabularyFileProperty, AnyBytes, (const std::string& bytes)) {
  const TestFolder folder;
  RC_ASSERT(ReadsAsExpected(folder / "words.txt", bytes));
}

RC_GTEST_PROP(VocabularyFileProperty, AnyLines, ()) {
  const auto line = rc::gen::elementOf(
      std::vector<std::string>{"", "a", "b", "ab", "\r", "a\r", "\xff", "c d",
                               "e", "f", "g", "\r\r", "h\ri"});
  std::string bytes;
  for (const std::string& each : *rc::gen::resize(
           12, rc::gen::container<std::vector<std::string>>(line))) {
    bytes += each + "\n";
  }
  if (*rc::gen::arbitrary<bool>() && !bytes.empty()) bytes.pop_back();
  const TestFolder folder;
  RC_ASSERT(ReadsAsExpected(folder / "words.txt", bytes));
}

TEST(VocabularyFileTest, DamagedFiles) {
  const TestFolder folder;
  ForDamagedCopies("the\nquick\r\nbrown\nfox\njumps\nüber\n",
                   200 * TestRounds(), [&](const std::string& damaged) {
                     EXPECT_TRUE(ReadsAsExpected(folder / "words.txt", damaged))
                         << damaged;
                   });
}

}  // namespace
}  // namespace lockstep::words_internal
