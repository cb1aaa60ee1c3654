// Models of words in .keras files: one that Keras 3.15.1 wrote
// (export/testdata/README.md), our own, and files with wrong vocabularies.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/json.h"
#include "reference/export/keras/archive.h"
#include "reference/export/keras/keras_model.h"
#include "reference/export/keras/keras_weights.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/model_impl.h"
#include "reference/layers/typed_input.h"
#include "reference/preprocessing/random/random_rotation.h"
#include "reference/preprocessing/words/hashing.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/preprocessing/words/text_vectorization.h"

namespace lockstep {
namespace {

using export_internal::KerasArchive;
using Words = std::vector<std::string>;
using Numbers = std::vector<int64_t>;
using Members = std::map<std::string, std::string>;

constexpr char kMember[] = "assets/layers/string_lookup/vocabulary.txt";

Tensor WordsOf(const Words& words, const Shape& shape) {
  return Tensor::FromVector(words, shape);
}

Layer OneLookup(const StringLookupOptions& options, const Words& data) {
  const StringLookup lookup(options);
  if (!data.empty()) lookup.Adapt(WordsOf(data, {std::ssize(data)}));
  return MakeLayer<SequentialImpl>(
      std::vector<Layer>{Input({2}, DType::kString), lookup}, "model");
}

Numbers IdsOf(const Layer& model, const std::string& first,
              const std::string& second) {
  return model(WordsOf({first, second}, {1, 2})).ToVector<int64_t>();
}

TEST(WordFilesTest, KerasModelPredictsTheSame) {
  const std::string folder = "reference/export/testdata/keras_words/";
  const Structure inputs = Structure::Tuple(
      {WordsOf({"b", "z", "a", "a", "c", "b"}, {3, 2}),
       Tensor::FromVector<int64_t>({5, 1, 7, 7, 2, 0}, Shape{3, 2}),
       WordsOf({"A b, q!", "c b c", ""}, {3}), WordsOf({"x", "q", ""}, {3, 1}),
       Tensor::FromVector<int64_t>({101, 7, -1}, Shape{3, 1})});
  const Layer model = LoadKerasModel(folder + "model.keras").model;
  const Tensor got = model(inputs).leaf();
  const Json expected = ReadJsonFile(folder + "expected.json")["predictions"];
  ASSERT_EQ(got.shape(), (Shape{3, 2}));
  for (int64_t i = 0; i < 6; ++i) {
    const double wanted = expected[i / 2][i % 2].get<double>();
    EXPECT_NEAR(got.Row(i / 2).at<float>(i % 2), wanted, 1e-6) << i;
  }
  const TestFolder own;
  SaveKerasModel(own / "again.keras", model);
  const Layer again = LoadKerasModel(own / "again.keras").model;
  EXPECT_TRUE(BitwiseEqual(again(inputs).leaf(), got));
  EXPECT_EQ(again.impl().Config().config, model.impl().Config().config);
}

// As Keras 3.15.1 writes it: the words of all ids, without a last newline.
TEST(WordFilesTest, LearnedVocabularyIsAnAsset) {
  const TestFolder folder;
  SaveKerasModel(folder / "m.keras", OneLookup({}, {"b", "a", "b"}));
  const std::string bytes = ReadWholeFile(folder / "m.keras");
  const Members assets = KerasArchive(bytes, "m.keras").assets();
  EXPECT_EQ(assets, (Members{{kMember, "[UNK]\nb\na"}}));
  const Layer loaded = LoadKerasModel(folder / "m.keras").model;
  EXPECT_EQ(IdsOf(loaded, "a", "z"), (Numbers{2, 0}));
}

TEST(WordFilesTest, GivenVocabularyIsInTheConfig) {
  const TestFolder folder;
  SaveKerasModel(folder / "m.keras",
                 OneLookup({.vocabulary = {{"x", "y"}}}, {}));
  const std::string bytes = ReadWholeFile(folder / "m.keras");
  EXPECT_EQ(KerasArchive(bytes, "m.keras").assets(), Members());
  const Layer loaded = LoadKerasModel(folder / "m.keras").model;
  EXPECT_EQ(IdsOf(loaded, "y", "z"), (Numbers{2, 0}));
}

// The file of the vocabulary may be gone, as with Keras 3.
TEST(WordFilesTest, VocabularyOfAFileIsAnAsset) {
  const TestFolder folder;
  WriteWholeFile(folder / "words.txt", "x\ny\n");
  SaveKerasModel(folder / "m.keras",
                 OneLookup({.vocabulary_file = folder / "words.txt"}, {}));
  WriteWholeFile(folder / "words.txt", "gone");
  const Layer loaded = LoadKerasModel(folder / "m.keras").model;
  EXPECT_EQ(IdsOf(loaded, "y", "z"), (Numbers{2, 0}));
}

TEST(WordFilesTest, EmptyMaskIsTheFirstLine) {
  const TestFolder folder;
  SaveKerasModel(folder / "m.keras",
                 OneLookup({.mask_token = ""}, {"b", "", "b"}));
  const std::string bytes = ReadWholeFile(folder / "m.keras");
  EXPECT_EQ(KerasArchive(bytes, "m.keras").assets().at(kMember), "\n[UNK]\nb");
  const Layer loaded = LoadKerasModel(folder / "m.keras").model;
  EXPECT_EQ(IdsOf(loaded, "", "b"), (Numbers{0, 2}));
}

TEST(WordFilesTest, BinsAndRotationsRoundTrip) {
  const Layer model = MakeLayer<SequentialImpl>(
      std::vector<Layer>{Input({2}, DType::kInt64),
                         Hashing(5, {.salt = Salt(3, 4), .mask_value = 7})},
      "bins");
  const Layer images = MakeLayer<SequentialImpl>(
      std::vector<Layer>{
          Input({4, 4, 1}),
          RandomRotation({0, 0.25}, {.fill_mode = FillMode::kWrap,
                                     .interpolation = Interpolation::kNearest,
                                     .fill_value = 0.5,
                                     .seed = 1})},
      "images");
  const TestFolder folder;
  for (const Layer& each : {model, images}) {
    SaveKerasModel(folder / "m.keras", each);
    const Layer loaded = LoadKerasModel(folder / "m.keras").model;
    EXPECT_EQ(loaded.impl().Config().config, each.impl().Config().config);
  }
}

TEST(WordFilesTest, InputOfWordsRefusesNumbers) {
  const Layer model = OneLookup({.vocabulary = {{"x"}}}, {});
  ExpectError(
      [&] {
        model(Tensor::Zeros({1, 2}));
      },
      Code::kInvalidArgument, "was declared string, got float32 (1, 2)");
}

// A vocabulary that Keras would read as another one is not written.

TEST(WordFilesTest, WordsThatNoFileHolds) {
  const TestFolder folder;
  const auto save = [&](const Words& data) {
    SaveKerasModel(folder / "m.keras", OneLookup({}, data));
  };
  ExpectError(
      [&] {
        save({"a", "b\nc"});
      },
      Code::kInvalidArgument, "the word of id 1 of 'string_lookup");
  ExpectError(
      [&] {
        save({"a", ""});
      },
      Code::kInvalidArgument, "is empty, which a file of words cannot hold");
  ExpectError([&] { save({"\xff"}); }, Code::kInvalidArgument, "not UTF-8");
  ExpectError([&] { save({}); }, Code::kFailedPrecondition, "no vocabulary");
  EXPECT_EQ(folder.names().size(), 0u);
}

// Wrong vocabularies.

class WrongVocabularyTest : public testing::Test {
 protected:
  // Saves `model`, replaces its vocabulary, and expects that it does not load.
  void ExpectRefused(const Layer& model, const Members& assets, Code code,
                     const std::string& words) {
    const std::string path = folder_ / "wrong.keras";
    SaveKerasModel(path, model);
    const std::string bytes = ReadWholeFile(path);
    const KerasArchive archive(bytes, path);
    WriteWholeFile(path, KerasArchive::Pack("{}", archive.config(),
                                            archive.weights(), assets));
    ExpectError([&] { LoadKerasModel(path); }, code, words);
    const std::string member = assets.empty() ? kMember : assets.begin()->first;
    ExpectError([&] { LoadKerasModel(path); }, code, "wrong.keras");
    ExpectError([&] { LoadKerasModel(path); }, code, member);
  }
  void ExpectRefused(const std::string& vocabulary, Code code,
                     const std::string& words) {
    ExpectRefused(OneLookup({.max_tokens = 3}, {"b", "a", "b"}),
                  {{kMember, vocabulary}}, code, words);
  }

  TestFolder folder_;
};

TEST_F(WrongVocabularyTest, Missing) {
  ExpectRefused(OneLookup({}, {"b"}), {}, Code::kNotFound,
                "the vocabulary of 'string_lookup");
}

TEST_F(WrongVocabularyTest, OfNoLayer) {
  ExpectRefused(
      OneLookup({}, {"b"}),
      {{"assets/layers/other/vocabulary.txt", "a"}, {kMember, "[UNK]\nb"}},
      Code::kInvalidArgument, "the model does not");
}

TEST_F(WrongVocabularyTest, Lines) {
  ExpectRefused("[UNK]\nb\nb", Code::kInvalidArgument, "'b' is word 0 already");
  ExpectRefused("[UNK]\n\na", Code::kInvalidArgument, "line 2 is empty");
  ExpectRefused("[UNK]\na\n\n", Code::kInvalidArgument, "line 3 is empty");
  ExpectRefused("[UNK]\na\n\xff", Code::kInvalidArgument,
                "line 3 is not UTF-8");
  ExpectRefused("", Code::kInvalidArgument, "has no words");
}

TEST_F(WrongVocabularyTest, OtherNumberOfWords) {
  ExpectRefused("[UNK]\nb\na\nc", Code::kInvalidArgument,
                "wants a vocabulary of 3 words, got 4");
  ExpectRefused("a\nb\nc", Code::kInvalidArgument,
                "begins with 1 words for the mask and unknown words");
}

TEST_F(WrongVocabularyTest, NoIntegers) {
  const IntegerLookup lookup;
  lookup.Adapt(Tensor::FromVector<int64_t>({5, 5, 7}, Shape{3}));
  const Layer model = MakeLayer<SequentialImpl>(
      std::vector<Layer>{Input({2}, DType::kInt64), lookup}, "model");
  ExpectRefused(model,
                {{"assets/layers/integer_lookup/vocabulary.txt", "-1\n5\nx"}},
                Code::kInvalidArgument, "word 2: 'x' is not an integer");
}

TEST_F(WrongVocabularyTest, MoreWordsThanTokens) {
  const std::string path = folder_ / "wrong.keras";
  SaveKerasModel(path, OneLookup({.max_tokens = 3}, {"b", "a", "b"}));
  const std::string bytes = ReadWholeFile(path);
  const KerasArchive archive(bytes, path);
  std::string config = archive.config();
  const std::string size = "\"vocabulary_size\":3";
  config.replace(config.find(size), size.size(), "\"vocabulary_size\":4");
  WriteWholeFile(path, KerasArchive::Pack("{}", config, archive.weights(),
                                          {{kMember, "[UNK]\nb\na\nc"}}));
  ExpectError([&] { LoadKerasModel(path); }, Code::kInvalidArgument,
              "max_tokens is 3, and the vocabulary with the mask and unknown "
              "values needs 4");
}

TEST_F(WrongVocabularyTest, LeavesTheModelAsItWas) {
  const std::string path = folder_ / "wrong.keras";
  SaveKerasModel(path, OneLookup({.output_mode = OutputMode::kMultiHot},
                                 {"c", "a", "b", "b"}));
  const Layer model =
      OneLookup({.output_mode = OutputMode::kMultiHot}, {"b", "a", "b"});
  ExpectError([&] { LoadKerasWeights(path, model); }, Code::kFailedPrecondition,
              "its vectors have 3 entries and would get 4");
  EXPECT_EQ(IdsOf(model, "b", "b"), (Numbers{0, 1, 0}));
}

}  // namespace
}  // namespace lockstep
