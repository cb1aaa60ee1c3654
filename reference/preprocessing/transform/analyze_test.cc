#include "reference/preprocessing/transform/analyze.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;
using Words = std::vector<std::string>;

// Four rows: age has mean 3 and variance 4, half of the heights are at most 2,
// and "b" is the most frequent color.
Dataset People() {
  return Dataset::FromTensorSlices(
      Structure::Dict({{"age", Tensor::FromVector(Floats{1, 5, 1, 5})},
                       {"color", Tensor::FromVector(Words{"b", "a", "b", "c"})},
                       {"height", Tensor::FromVector(Floats{4, 2, 3, 1})}}));
}

Recipe PeoplesRecipe() {
  return {ZScore("age"), Bins("height", 2), WordIds("color")};
}

// Of lines "b", "c", "a"; by sha256sum.
constexpr const char* kHash =
    "710a4679fd1f6d2e0c6db8ef19ede2e083ef7fd67190e45eb5ec309597e56634";

Dataset Of(const Words& words) {
  return Dataset::FromTensorSlices(Tensor::FromVector(words)).Batch(2);
}

std::string VocabularyOf(const TestFolder& folder) {
  for (const std::string& name : folder.names()) {
    if (name.starts_with("vocabulary")) return ReadWholeFile(folder / name);
  }
  return "";
}

TEST(AnalyzeTest, WritesWhatItFound) {
  const TestFolder folder;
  Analyze(People().Batch(2), PeoplesRecipe(), folder.path());
  EXPECT_EQ(folder.names(),
            (Words{"transform.json",
                   "vocabulary-2-" + std::string(kHash, 8) + ".txt"}));
  EXPECT_EQ(VocabularyOf(folder), "b\nc\na\n");
  EXPECT_EQ(ReadWholeFile(folder / "transform.json"),
            R"({
  "format": "lockstep transform",
  "version": 1,
  "columns": [
    {
      "input": "age",
      "output": "age",
      "transform": "z_score",
      "count": 4,
      "scalar": true,
      "mean": [
        3.0
      ],
      "variance": [
        4.0
      ]
    },
    {
      "input": "height",
      "output": "height",
      "transform": "bins",
      "boundaries": [
        2.0
      ]
    },
    {
      "input": "color",
      "output": "color",
      "transform": "word_ids",
      "num_oov_indices": 1,
      "vocabulary": {
        "file": "vocabulary-2-)" +
                std::string(kHash, 8) + R"(.txt",
        "words": 3,
        "sha256": ")" +
                kHash +
                R"("
      }
    }
  ]
}
)");
}

TEST(AnalyzeTest, WorkersFindWhatOneFinds) {
  const TestFolder alone;
  Analyze(People(), PeoplesRecipe(), alone.path());
  for (const int workers : {2, 3, 5}) {
    const TestFolder together;
    RunWorkers(std::vector<int>(static_cast<size_t>(workers), 1),
               [&](Strategy& strategy) {
                 const StrategyScope scope = strategy.Scope();
                 Analyze(People(), PeoplesRecipe(), together.path());
                 // No worker returns before it is written.
                 EXPECT_EQ(together.names(), alone.names());
               });
    EXPECT_EQ(ReadWholeFile(together / "transform.json"),
              ReadWholeFile(alone / "transform.json"));
    EXPECT_EQ(VocabularyOf(together), VocabularyOf(alone));
  }
}

TEST(AnalyzeTest, ReadsTheDataOnce) {
  const TestFolder folder;
  std::atomic<int> rows = 0;
  const auto count = [&](const Structure& row) {
    ++rows;
    return row;
  };
  Analyze(People().Map(count), PeoplesRecipe(), folder.path());
  EXPECT_EQ(rows, 4);
}

TEST(AnalyzeTest, OnlyWordsThatALineHolds) {
  const TestFolder folder;
  Analyze(Of({"", "a\nb", "c\r", " a ", "[UNK]", "é"}), {WordIds("")},
          folder.path());
  EXPECT_EQ(VocabularyOf(folder), "é\n a \n");
}

TEST(AnalyzeTest, TheMostFrequentWords) {
  const TestFolder folder;
  Analyze(Of({"", "", "", "a", "a", "b", "b", "b", "c"}),
          {WordIds("", /*max_tokens=*/3)}, folder.path());
  EXPECT_EQ(VocabularyOf(folder), "b\na\n");
}

TEST(AnalyzeTest, AgainReplacesTheAnalysis) {
  const TestFolder folder;
  Analyze(Of({"a", "b"}), {WordIds("")}, folder.path());
  Analyze(Of({"c", "d"}), {WordIds("")}, folder.path());
  // The first vocabulary stays for programs that have mapped it.
  EXPECT_EQ(folder.names().size(), 3u);
}

void ExpectRefused(const Dataset& data, const Recipe& recipe,
                   const std::string& message) {
  const TestFolder folder;
  ExpectError([&] { Analyze(data, recipe, folder / "new"); },
              Code::kInvalidArgument, message);
  EXPECT_EQ(folder.names(), Words{});
}

TEST(AnalyzeTest, RecipesAreChecked) {
  ExpectRefused(People(), {}, "got none");
  ExpectRefused(People(), {ZScore("age"), Bins("age", 2)},
                "two columns are called 'age'");
  ExpectRefused(People(), {Bins("age", 0)}, "at least 1 bin");
  ExpectRefused(People(), {WordIds("color", 1)}, "max_tokens 1");
  ExpectRefused(People(), {ZScore("weight")}, "the input 'weight'");
  ExpectRefused(Of({"a"}), {WordIds("0")}, "the input '0'");
}

TEST(AnalyzeTest, DataAreChecked) {
  ExpectRefused(People(), {ZScore("color")}, "needs numbers, got");
  ExpectRefused(People(), {WordIds("age")}, "needs words, got");
  ExpectRefused(People().Take(0), {ZScore("age")}, "no data in column 'age'");
  ExpectRefused(People().Take(0), {Bins("age", 2)}, "no data in column 'age'");
  ExpectRefused(Of({"", "\n"}), {WordIds("")}, "no data in column ''");
  ExpectRefused(People().Repeat(), {ZScore("age")}, "no end");
  ExpectRefused(Of({"a", "\xff\x80"}), {WordIds("")},
                "not UTF-8, of the bytes ff 80");
  const Dataset infinite = Dataset::FromTensors(
      Tensor::FromVector(Floats{1, std::numeric_limits<float>::infinity()}));
  ExpectRefused(infinite, {ZScore("")}, "infinite, NaN or too large");
}

TEST(AnalyzeTest, ErrorsReachAllWorkers) {
  const TestFolder folder;
  RunWorkers({1, 1}, [&](Strategy& strategy) {
    const StrategyScope scope = strategy.Scope();
    const bool first = WorkerOf(strategy) == 0;
    // Of the data, of the recipe, of the file, which only worker 0 writes.
    ExpectError([&] { Analyze(Of({first ? "a" : "\xff"}), {}, folder.path()); },
                Code::kInvalidArgument, "got none");
    ExpectError(
        [&] {
          const Column column = first ? ZScore("age") : ZScore("height");
          Analyze(People(), {column}, folder.path());
        },
        Code::kFailedPrecondition, "workers disagree");
    if (first) WriteWholeFile(folder / "file", "");
    ExpectError(
        [&] { Analyze(People(), {ZScore("age")}, folder / "file/folder"); },
        Code::kUnavailable, "file");
  });
}

}  // namespace
}  // namespace lockstep
