// preprocessing.*: layers of words, categories, numbers and images.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/data/dataset.h"
#include "reference/layers/layer.h"
#include "reference/preprocessing/numeric/discretization.h"
#include "reference/preprocessing/numeric/normalization.h"
#include "reference/preprocessing/numeric/rescaling.h"
#include "reference/preprocessing/random/random_flip.h"
#include "reference/preprocessing/transform/analyze.h"
#include "reference/preprocessing/transform/transform.h"
#include "reference/preprocessing/words/category_encoding.h"
#include "reference/preprocessing/words/hashing.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/preprocessing/words/text_vectorization.h"

namespace lockstep::conformance {
namespace {

OutputMode OutputModeOf(const StepCall& call, OutputMode otherwise) {
  return call.Has("output_mode") ? ParseOutputMode(call.Text("output_mode"))
                                 : otherwise;
}

template <typename Token>
LookupOptions<Token> OptionsOfLookup(const StepCall& call) {
  LookupOptions<Token> options;
  options.num_oov_indices = call.Integer("num_oov_indices", 1);
  options.output_mode = OutputModeOf(call, OutputMode::kInt);
  if (call.Has("vocabulary")) {
    options.vocabulary = call.Argument("vocabulary").get<std::vector<Token>>();
  }
  if (call.Has("vocabulary_file")) {
    options.vocabulary_file = call.Path("vocabulary_file");
  }
  return options;
}

Value MakeStringLookup(const StepCall& call) {
  auto options = OptionsOfLookup<std::string>(call);
  options.invert = call.Boolean("invert");
  if (call.Has("mask_token")) options.mask_token = call.Text("mask_token");
  return Layer(StringLookup(options));
}

Value MakeIntegerLookup(const StepCall& call) {
  return Layer(IntegerLookup(OptionsOfLookup<int64_t>(call)));
}

Value MakeTextVectorization(const StepCall& call) {
  TextVectorizationOptions options;
  options.output_mode = OutputModeOf(call, OutputMode::kInt);
  if (call.Has("vocabulary")) {
    options.vocabulary =
        call.Argument("vocabulary").get<std::vector<std::string>>();
  }
  if (call.Has("output_sequence_length")) {
    options.output_sequence_length = call.Integer("output_sequence_length");
  }
  return Layer(TextVectorization(options));
}

Value MakeHashing(const StepCall& call) {
  HashingOptions options;
  if (call.Has("mask_value")) options.mask_value = call.Text("mask_value");
  if (call.Has("salt")) {
    const Json& salt = call.Argument("salt");
    const bool one = salt.is_number();
    const auto first = (one ? salt : salt.at(0)).get<int64_t>();
    const auto second = (one ? salt : salt.at(1)).get<int64_t>();
    options.salt = Salt(first, second);
  }
  return Layer(Hashing(call.Integer("num_bins"), options));
}

Value MakeCategoryEncoding(const StepCall& call) {
  return Layer(CategoryEncoding(
      call.Integer("num_tokens"),
      {.output_mode = OutputModeOf(call, OutputMode::kMultiHot)}));
}

Value MakeNormalization(const StepCall& call) {
  NormalizationOptions options;
  if (call.Has("mean")) {
    options.mean = ToTensor(call.Argument("mean"), DType::kFloat32);
    options.variance = ToTensor(call.Argument("variance"), DType::kFloat32);
  }
  return Layer(Normalization(options));
}

Value MakeDiscretization(const StepCall& call) {
  return Layer(Discretization(
      {.bin_boundaries =
           call.Argument("boundaries").get<std::vector<float>>()}));
}

Value MakeRescaling(const StepCall& call) {
  return Layer(Rescaling(call.Number("scale", 1), call.Number("offset", 0)));
}

Value MakeRandomFlip(const StepCall& call) {
  return Layer(
      RandomFlip(FlipMode::kHorizontal, {.seed = call.Integer("seed")}));
}

// Whether it is such a layer, which then has adapted.
template <typename Impl>
bool AdaptIf(LayerImpl& layer, const Dataset& data) {
  auto* const own = dynamic_cast<Impl*>(&layer);
  if (own != nullptr) own->Adapt(data);
  return own != nullptr;
}

Value Adapt(const StepCall& call) {
  LayerImpl& layer = call.Get<Layer>("of").impl();
  const auto data = call.Get<Dataset>("data");
  if (!AdaptIf<NormalizationImpl>(layer, data) &&
      !AdaptIf<VocabularyLayerImpl<std::string>>(layer, data) &&
      !AdaptIf<VocabularyLayerImpl<int64_t>>(layer, data)) {
    throw ProgramError("this layer does not adapt");
  }
  return Nothing();
}

Value AnalyzeData(const StepCall& call) {
  Column column{.kind = ParseTransformKind(call.Text("transform")),
                .input = ""};
  column.num_bins = call.Integer("num_bins", column.num_bins);
  Analyze(call.Get<Dataset>("data"), {column}, call.Path("path"));
  return Nothing();
}

Value MakeTransform(const StepCall& call) {
  return Layer(Transform(call.Path("path")));
}

Value VocabularyOf(const StepCall& call) {
  LayerImpl& layer = call.Get<Layer>("of").impl();
  const auto* const own =
      dynamic_cast<VocabularyLayerImpl<std::string>*>(&layer);
  if (own == nullptr) throw ProgramError("this layer has no words");
  return Json(own->GetVocabulary(/*include_special_tokens=*/true));
}

}  // namespace

void AddPreprocessingSteps(StepTable& table) {
  table.Add("preprocessing.adapt", Adapt);
  table.Add("preprocessing.analyze", AnalyzeData);
  table.Add("preprocessing.category_encoding", MakeCategoryEncoding);
  table.Add("preprocessing.discretization", MakeDiscretization);
  table.Add("preprocessing.hashing", MakeHashing);
  table.Add("preprocessing.integer_lookup", MakeIntegerLookup);
  table.Add("preprocessing.normalization", MakeNormalization);
  table.Add("preprocessing.random_flip", MakeRandomFlip);
  table.Add("preprocessing.rescaling", MakeRescaling);
  table.Add("preprocessing.string_lookup", MakeStringLookup);
  table.Add("preprocessing.text_vectorization", MakeTextVectorization);
  table.Add("preprocessing.transform_layer", MakeTransform);
  table.Add("preprocessing.vocabulary", VocabularyOf);
}

}  // namespace lockstep::conformance
