// Layers of words and numbers in our SavedModels: their operations and tables.
// benchmarks/peers/exchange/prepared_models.py has TensorFlow run them; here ours
// does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/export/saved_model/export_saved_model.h"
#include "reference/export/saved_model/loading/load_saved_model.h"
#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/layers/model_impl.h"
#include "reference/layers/typed_input.h"
#include "reference/preprocessing/numeric/discretization.h"
#include "reference/preprocessing/numeric/normalization.h"
#include "reference/preprocessing/random/random_crop.h"
#include "reference/preprocessing/random/random_flip.h"
#include "reference/preprocessing/words/hashing.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/preprocessing/words/text_vectorization.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;
using Ids = std::vector<int64_t>;

class PreparedLayersTest : public testing::Test {
 protected:
  static Layer Of(const SymbolicTensor& input, const Layer& layer) {
    return MakeLayer<ModelImpl>(input, layer(input), "model");
  }
  static Layer OfWords(const Layer& layer, const Shape& shape = {2}) {
    return Of(Input(shape, DType::kString, "words"), layer);
  }
  saved_model::MetaGraphDef Exported(const Layer& model) {
    ExportSavedModel(model, exported_);
    saved_model::SavedModel saved;
    EXPECT_TRUE(
        saved.ParseFromString(ReadWholeFile(exported_ + "/saved_model.pb")));
    return saved.meta_graphs(0);
  }
  // The result of the exported model.
  Tensor Run(const Layer& model, const Tensor& x) {
    ExportSavedModel(model, exported_);
    const SavedModel loaded = LoadSavedModel(exported_);
    const std::string name = loaded.inputs().begin()->first;
    return loaded.Run({{name, x}}).begin()->second;
  }
  Ids RunWords(const Layer& layer, const Words& words) {
    return Run(OfWords(layer),
               Tensor::FromVector(words, {std::ssize(words) / 2, 2}))
        .ToVector<int64_t>();
  }
  void ExpectRefused(const Layer& model, Code code, const std::string& words) {
    ExpectError([&] { ExportSavedModel(model, exported_); }, code, words);
    EXPECT_TRUE(folder_.names().empty());
  }

  TestFolder folder_;
  const std::string exported_ = folder_ / "exported";
};

TEST_F(PreparedLayersTest, TypesOfArgumentsAndTables) {
  const auto meta =
      Exported(OfWords(StringLookup({.vocabulary = {{"b", "a"}}})));
  const auto& signature = meta.signature_def().at("serving_default");
  EXPECT_EQ(signature.inputs().at("words").dtype(), tensor_bundle::DT_STRING);
  EXPECT_EQ(signature.outputs().begin()->second.dtype(),
            tensor_bundle::DT_INT64);
  const auto& init = meta.signature_def().at("__saved_model_init_op");
  EXPECT_EQ(init.outputs().at("__saved_model_init_op").name(), "fill_tables");

  const auto& objects = meta.object_graph_def();
  const int table =
      objects.concrete_functions().at("__inference_serve_2").bound_inputs(0);
  ASSERT_TRUE(objects.nodes(table).has_resource());
  Words children;
  for (const auto& child : objects.nodes(table).children()) {
    children.push_back(child.local_name());
  }
  EXPECT_EQ(children,
            (Words{"_create_resource", "_initialize", "_destroy_resource"}));
  const auto& filled =
      objects.concrete_functions().at("__inference__initializer_0");
  EXPECT_EQ(filled.bound_inputs(0), table);
}

// TensorFlow shares the tables of a process by their names.
TEST_F(PreparedLayersTest, OtherTablesHaveOtherNames) {
  const auto name = [&](const Layer& lookup) {
    const auto meta = Exported(OfWords(lookup));
    for (const auto& node : meta.graph_def().node()) {
      if (node.op() == "HashTableV2") return node.attr().at("shared_name").s();
    }
    return std::string();
  };
  const StringLookup ab({.vocabulary = {{"a", "b"}}}),
      again({.vocabulary = {{"a", "b"}}}), ba({.vocabulary = {{"b", "a"}}}),
      more({.num_oov_indices = 2, .vocabulary = {{"a", "b"}}});
  EXPECT_EQ(name(ab), name(again));
  EXPECT_NE(name(ab), name(ba));
  EXPECT_NE(name(ab), name(more));
  EXPECT_NE(name(ab), "");
}

TEST_F(PreparedLayersTest, Lookups) {
  EXPECT_EQ(
      RunWords(StringLookup({.vocabulary = {{"b", "a"}}}), {"a", "z", "b", ""}),
      (Ids{2, 0, 1, 0}));
  EXPECT_EQ(RunWords(StringLookup({.mask_token = "",
                                   .vocabulary = {{"b", "a"}},
                                   .output_mode = OutputMode::kCount}),
                     {"a", "a", "z", ""}),
            (Ids{0, 0, 2, 1, 0, 0}));
  const StringLookup strict({.num_oov_indices = 0, .vocabulary = {{"b", "a"}}});
  EXPECT_EQ(RunWords(strict, {"a", "b"}), (Ids{1, 0}));
  ExpectError(
      [&] {
        RunWords(strict, {"a", "z"});
      },
      Code::kInvalidArgument, "has no id for words outside of its vocabulary");
  // Unknown: -1 and 4 have the remainders 2 and 1 of 3.
  const IntegerLookup numbers(
      {.num_oov_indices = 3, .mask_token = 0, .vocabulary = {{7, 8}}});
  EXPECT_EQ(Run(Of(Input({4}, DType::kInt64), numbers),
                Tensor::FromVector<int64_t>({0, 8, -1, 4}, Shape{1, 4}))
                .ToVector<int64_t>(),
            (Ids{0, 5, 3, 2}));
  const StringLookup inverted(
      {.mask_token = "", .vocabulary = {{"b"}}, .invert = true});
  EXPECT_EQ(Run(Of(Input({4}, DType::kInt64), inverted),
                Tensor::FromVector<int64_t>({0, 1, 2, 9}, Shape{1, 4}))
                .ToVector<std::string>(),
            (Words{"", "[UNK]", "b", "[UNK]"}));
}

TEST_F(PreparedLayersTest, Texts) {
  const Tensor texts = Tensor::FromVector<std::string>(
      {"A b, q a!", "c", "\xc3\xa9 c"}, Shape{3});
  const auto run = [&](TextVectorizationOptions options) {
    options.vocabulary = {{"a", "b", "c"}};
    return Run(OfWords(TextVectorization(options), Shape{}), texts);
  };
  EXPECT_EQ(run({}).ToVector<int64_t>(),
            (Ids{2, 3, 1, 2, 4, 0, 0, 0, 1, 4, 0, 0}));
  EXPECT_EQ(run({.output_sequence_length = 2}).ToVector<int64_t>(),
            (Ids{2, 3, 4, 0, 1, 4}));
  // Unknown are all bigrams, q and the accented e.
  EXPECT_EQ(
      run({.ngrams = 2, .output_mode = OutputMode::kCount}).ToVector<int64_t>(),
      (Ids{4, 2, 1, 0, 0, 0, 0, 1, 2, 0, 0, 1}));
  // Spaces and the letter q are unknown characters.
  EXPECT_EQ(
      run({.split = SplitAt::kCharacter, .output_mode = OutputMode::kMultiHot})
          .ToVector<int64_t>(),
      (Ids{1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1}));
}

TEST_F(PreparedLayersTest, NumbersAndImages) {
  const Layer bins =
      Of(Input({3}, "x"), Discretization({.bin_boundaries = {{0, 1}}}));
  const Tensor row = Tensor::FromVector<float>({-1, 0.5f, 1}, Shape{1, 3});
  EXPECT_EQ(Run(bins, row).ToVector<int32_t>(),
            (std::vector<int32_t>{0, 1, 2}));
  const Layer normal =
      Of(Input({3}, "x"),
         Normalization(
             {.mean = Tensor::FromVector<float>({1, 0.5f, 0}, Shape{3}),
              .variance = Tensor::FromVector<float>({4, 1, 0.25f}, Shape{3})}));
  EXPECT_EQ(Run(normal, row).ToVector<float>(), (std::vector<float>{-1, 0, 2}));
  const Layer crossed = [] {
    const SymbolicTensor a = Input({1}, DType::kString, "a");
    const SymbolicTensor b = Input({1}, DType::kInt64, "b");
    return MakeLayer<ModelImpl>(SymbolicStructure::Tuple({a, b}),
                                HashedCrossing(5)({a, b}), "crossed");
  }();
  ExportSavedModel(crossed, exported_);
  const auto got = LoadSavedModel(exported_).Run(
      {{"a", Tensor::FromVector<std::string>({"A", "B"}, Shape{2, 1})},
       {"b", Tensor::FromVector<int64_t>({101, 101}, Shape{2, 1})}});
  EXPECT_EQ(got.begin()->second.ToVector<int64_t>(), (Ids{1, 4}));
  // All pixels have the target's shape; each of the result is the mean of four.
  Tensor image = Tensor::Empty(Shape{1, 4, 4, 1});
  for (int i = 0; i < 16; ++i) image.mutable_data<float>()[i] = i;
  EXPECT_EQ(
      Run(Of(Input({4, 4, 1}), RandomCrop(2, 2)), image).ToVector<float>(),
      (std::vector<float>{2.5f, 4.5f, 10.5f, 12.5f}));
  EXPECT_EQ(Run(Of(Input({4, 4, 1}), RandomFlip()), image).ToVector<float>(),
            image.ToVector<float>());
}

TEST_F(PreparedLayersTest, RefusedLayers) {
  ExpectRefused(OfWords(StringLookup()), Code::kFailedPrecondition,
                "no vocabulary");
  ExpectRefused(Of(Input({3}, "x"), Discretization({.num_bins = 2})),
                Code::kFailedPrecondition, "has no boundaries yet; call Adapt");
  ExpectRefused(OfWords(TextVectorization({.output_mode = OutputMode::kOneHot,
                                           .vocabulary = {{"a"}}}),
                        {1}),
                Code::kUnimplemented, "use multi_hot or count");
  ExpectRefused(Of(Input({3}, "x"), StringLookup({.vocabulary = {{"a"}}})),
                Code::kUnimplemented, "give its Input a dtype");
}

}  // namespace
}  // namespace lockstep
