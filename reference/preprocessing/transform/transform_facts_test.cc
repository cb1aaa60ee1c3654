// Folders of another version, and damaged ones.
#include "reference/preprocessing/transform/transform_facts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"

namespace lockstep::preprocessing_internal {
namespace {

// A folder with one column of each kind.
class TransformFactsTest : public testing::Test {
 protected:
  TransformFactsTest() {
    WriteFacts({{.column = ZScore("age"),
                 .mean = {3, 0.1f},
                 .variance = {4, 1e-20f},
                 .count = 5},
                {.column = Bins("height", 3), .boundaries = {1, 2.5f}},
                {.column = WordIds("color"), .words = {"red", "blue"}}},
               folder_.path());
    text_ = ReadWholeFile(json_);
    for (const std::string& name : folder_.names()) {
      if (name.starts_with("vocabulary")) vocabulary_ = folder_ / name;
    }
  }

  void Replace(const std::string& what, const std::string& with) {
    std::string changed = text_;
    const size_t at = changed.find(what);
    ASSERT_NE(at, changed.npos);
    WriteWholeFile(json_, changed.replace(at, what.size(), with));
  }
  void ExpectRefused(Code code, const std::string& message) {
    ExpectError([&] { ReadFacts(folder_.path()); }, code, message);
  }

  const TestFolder folder_;
  const std::string json_ = folder_ / "transform.json";
  std::string text_, vocabulary_;
};

TEST_F(TransformFactsTest, ComeBack) {
  const std::vector<ColumnFacts> facts = ReadFacts(folder_.path());
  ASSERT_EQ(facts.size(), 3u);
  EXPECT_EQ(facts[0].column.input, "age");
  EXPECT_EQ(facts[0].column.output, "age");
  EXPECT_EQ(facts[0].mean, (std::vector<float>{3, 0.1f}));
  EXPECT_EQ(facts[0].variance, (std::vector<float>{4, 1e-20f}));
  EXPECT_FALSE(facts[0].is_scalar);
  EXPECT_EQ(facts[0].count, 5);
  EXPECT_EQ(facts[1].boundaries, (std::vector<float>{1, 2.5f}));
  EXPECT_EQ(facts[2].vocabulary_file, vocabulary_);
}

TEST_F(TransformFactsTest, AFolderWithoutAnAnalysis) {
  std::filesystem::remove(json_);
  ExpectRefused(Code::kNotFound, "transform.json");
}

TEST_F(TransformFactsTest, AnotherVersion) {
  Replace("\"version\": 1", "\"version\": 2");
  ExpectRefused(Code::kUnimplemented,
                "has version 2, and this program reads version 1");
}

TEST_F(TransformFactsTest, ATornFile) {
  for (size_t size = 0; size + 2 < text_.size(); size += 7) {
    WriteWholeFile(json_, text_.substr(0, size));
    ExpectRefused(Code::kDataLoss, "is damaged");
  }
}

TEST_F(TransformFactsTest, AnotherFile) {
  WriteWholeFile(json_, "{}");
  ExpectRefused(Code::kDataLoss, "is damaged");
  Replace("lockstep transform", "lockstep");
  ExpectRefused(Code::kDataLoss, "format \"lockstep\"");
  Replace("z_score", "z_scores");
  ExpectRefused(Code::kDataLoss, "got 'z_scores'");
  Replace("\"output\": \"height\"", "\"output\": \"age\"");
  ExpectRefused(Code::kDataLoss, "two columns are called 'age'");
}

TEST_F(TransformFactsTest, MomentsThatDoNotFit) {
  Replace("4.0,", "");
  ExpectRefused(Code::kDataLoss, "for each index");
  Replace("4.0", "null");
  ExpectRefused(Code::kDataLoss, "is damaged");
}

TEST_F(TransformFactsTest, AVocabularyThatIsMissing) {
  std::filesystem::remove(vocabulary_);
  ExpectRefused(Code::kDataLoss, "is missing");
}

TEST_F(TransformFactsTest, AVocabularyThatWasChanged) {
  for (const std::string other : {"red\n", "red\nblue", "blue\nred\n", ""}) {
    WriteWholeFile(vocabulary_, other);
    ExpectRefused(Code::kDataLoss, "not the file that the analysis wrote");
  }
}

TEST_F(TransformFactsTest, NoFileOutsideTheFolder) {
  Replace("\"file\": \"vocabulary", "\"file\": \"../vocabulary");
  ExpectRefused(Code::kDataLoss, "is no file's name");
}

}  // namespace
}  // namespace lockstep::preprocessing_internal
