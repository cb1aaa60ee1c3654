// Vocabularies in checkpoints, where TensorFlow 2.21 loses those that were
// learned.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/preprocessing/words/text_vectorization.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

Tensor List(const Words& words) {
  return Tensor::FromVector(words, Shape{std::ssize(words)});
}

StringLookup Adapted(const Words& data, const StringLookupOptions& options) {
  const StringLookup lookup(options);
  lookup.Adapt(List(data));
  return lookup;
}

class VocabularyCheckpointTest : public testing::Test {
 protected:
  std::string Save(const Layer& layer) {
    Checkpoint checkpoint({{"layer", layer.trackable()}});
    return checkpoint.Write(folder_ / "saved");
  }
  static void Restore(const std::string& path, const Layer& layer) {
    Checkpoint checkpoint({{"layer", layer.trackable()}});
    checkpoint.Read(path).AssertConsumed();
  }

  TestFolder folder_;
};

TEST_F(VocabularyCheckpointTest, LearnedWordsAreRestored) {
  const std::string path = Save(Adapted({"b", "a", "b"}, {}));
  const StringLookup fresh;
  Restore(path, fresh);
  EXPECT_EQ(fresh.GetVocabulary(), (Words{"[UNK]", "b", "a"}));
  const StringLookup other = Adapted({"x", "y", "z"}, {});
  Restore(path, other);
  EXPECT_EQ(other(List({"a", "x"})).ToVector<int64_t>(),
            (std::vector<int64_t>{2, 0}));
}

TEST_F(VocabularyCheckpointTest, IntegersAreRestored) {
  const IntegerLookup lookup({.mask_token = 0});
  lookup.Adapt(Tensor::FromVector<int64_t>({7, 5, 7}, Shape{3}));
  const IntegerLookup fresh({.mask_token = 0});
  Restore(Save(lookup), fresh);
  EXPECT_EQ(fresh.GetVocabulary(), (std::vector<int64_t>{0, -1, 7, 5}));
}

TEST_F(VocabularyCheckpointTest, WeightsAreRestored) {
  const TextVectorizationOptions options = {.output_mode = OutputMode::kTfIdf};
  const TextVectorization texts(options);
  texts.Adapt(List({"a b b", "b c", "b"}));
  const TextVectorization fresh(options);
  Restore(Save(texts), fresh);
  EXPECT_TRUE(BitwiseEqual(fresh(List({"a q b"})), texts(List({"a q b"}))));
}

TEST_F(VocabularyCheckpointTest, WordsOfAnyBytesAreRestored) {
  const StringLookup fresh;
  Restore(Save(Adapted({"\xff", "\n", ""}, {})), fresh);
  EXPECT_EQ(fresh(List({"\xff", "\n", ""})).ToVector<int64_t>(),
            (std::vector<int64_t>{1, 2, 3}));
}

// What was saved before Adapt is restored as that.
TEST_F(VocabularyCheckpointTest, NoVocabularyIsRestored) {
  const StringLookup adapted = Adapted({"a"}, {});
  Restore(Save(StringLookup()), adapted);
  ExpectError([&] { adapted(List({"a"})); }, Code::kFailedPrecondition,
              "it has no vocabulary");
}

// TensorFlow stores nothing of a given list either: the program has it.
TEST_F(VocabularyCheckpointTest, GivenWordsAreNotStored) {
  const StringLookup given({.vocabulary = {{"a"}}});
  EXPECT_TRUE(given.trackable()->values().empty());
}

class MisfitTest : public VocabularyCheckpointTest {
 protected:
  void ExpectMisfit(const std::string& path, const Layer& layer, Code code,
                    const std::string& words) {
    ExpectError([&] { Restore(path, layer); }, code, words);
    ExpectError([&] { Restore(path, layer); }, code,
                "layer/.ATTRIBUTES/VOCABULARY");
  }
};

TEST_F(MisfitTest, OtherType) {
  ExpectMisfit(Save(Adapted({"a"}, {})), IntegerLookup(),
               Code::kInvalidArgument, "is string (2,)");
}

TEST_F(MisfitTest, OtherLengthOfVectors) {
  const StringLookupOptions options = {.output_mode = OutputMode::kMultiHot};
  const StringLookup lookup = Adapted({"a", "b"}, options);
  ExpectMisfit(Save(Adapted({"a"}, options)), lookup, Code::kInvalidArgument,
               "is string (2,)");
  EXPECT_EQ(lookup.VocabularySize(), 3);
}

TEST_F(MisfitTest, MoreWordsThanTokens) {
  ExpectMisfit(Save(Adapted({"a", "b", "c"}, {})),
               StringLookup({.max_tokens = 3}), Code::kInvalidArgument,
               "max_tokens is 3");
}

TEST_F(MisfitTest, OtherSpecialWords) {
  ExpectMisfit(Save(Adapted({"a"}, {})), StringLookup({.mask_token = ""}),
               Code::kInvalidArgument,
               "begins with 2 words for the mask and unknown words");
}

// Other objects of the checkpoint are unchanged too.
TEST_F(MisfitTest, ChangesNothing) {
  const StringLookup first = Adapted({"a"}, {});
  const StringLookup second = Adapted({"a", "b", "c"}, {});
  Checkpoint saved(
      {{"first", first.trackable()}, {"second", second.trackable()}});
  const std::string path = saved.Write(folder_ / "two");
  const StringLookup free = Adapted({"x"}, {});
  const StringLookup small({.max_tokens = 3});
  Checkpoint checkpoint(
      {{"first", free.trackable()}, {"second", small.trackable()}});
  ExpectError([&] { checkpoint.Read(path); }, Code::kInvalidArgument,
              "max_tokens is 3");
  EXPECT_EQ(free.GetVocabulary(), (Words{"[UNK]", "x"}));
}

}  // namespace
}  // namespace lockstep
