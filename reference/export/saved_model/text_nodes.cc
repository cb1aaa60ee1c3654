// Writes TextVectorization.
#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/saved_model/layer_call.h"
#include "reference/export/saved_model/lookup_nodes.h"

namespace lockstep::export_internal {
namespace {

using Call = LayerCall;

constexpr char kPunctuation[] = R"([!-/:-@\[-`{-~])";  // of ASCII

// Tokens of all texts, and where each text begins.
struct RaggedTokens {
  std::string tokens;
  std::string splits;
};

std::string Standardized(const Call& call) {
  std::string text = call.As(DType::kString);
  const Json& how = call.config.at("standardize");
  if (how.is_null()) return text;
  const auto name = how.get<std::string>();
  if (name.starts_with("lower")) {
    text = call.nodes.Add("StringLower", {text}, {}, "output");
  }
  if (name.ends_with("strip_punctuation")) {
    text = call.nodes.Add("StaticRegexReplace", {text},
                          {{"pattern", TextAttribute(kPunctuation)},
                           {"rewrite", TextAttribute("")},
                           {"replace_global", BoolAttribute(true)}},
                          "output");
  }
  return text;
}

// Element `at` of the first axis, or column `at` of a matrix.
std::string Slice(const Call& call, const std::string& x, int32_t at,
                  bool column) {
  const auto places = [&](int32_t last) {
    return call.nodes.Integers(column ? std::vector<int32_t>{0, last}
                                      : std::vector<int32_t>{last});
  };
  return call.nodes.AddTyped(
      "StridedSlice", DType::kInt64,
      {x, places(at), places(at + 1),
       call.nodes.Integers(std::vector<int32_t>(column ? 2 : 1, 1))},
      "output",
      {{"Index", TypeAttribute(tensor_bundle::DT_INT32)},
       {"begin_mask", IntAttribute(column ? 1 : 0)},
       {"end_mask", IntAttribute(column ? 1 : 0)},
       {"shrink_axis_mask", IntAttribute(column ? 2 : 1)}});
}

// Where each of `rows` rows begins in a list of the rows' numbers.
std::string SplitsOf(const Call& call, const std::string& row_of,
                     const std::string& rows) {
  const std::string none = call.nodes.Constant(
      Tensor::Zeros(Shape{0}, DType::kInt64, Device::Host()));
  const std::string lengths = call.nodes.AddTyped(
      "DenseBincount", DType::kInt64, {row_of, rows, none}, "output",
      {{"Tidx", TypeAttribute(tensor_bundle::DT_INT64)}});
  const std::string ends = call.nodes.AddTyped(
      "Cumsum", DType::kInt64, {lengths, call.nodes.Integer(0)}, "out",
      {{"Tidx", TypeAttribute(tensor_bundle::DT_INT32)}});
  const std::string zero = call.nodes.Constant(
      Tensor::Zeros(Shape{1}, DType::kInt64, Device::Host()));
  return call.nodes.AddTyped(
      "ConcatV2", DType::kInt64, {zero, ends, call.nodes.Integer(0)}, "output",
      {{"N", IntAttribute(2)},
       {"Tidx", TypeAttribute(tensor_bundle::DT_INT32)}});
}

// The result `output` of the node that returned `result`.
std::string Other(const std::string& result, const std::string& output) {
  return result.substr(0, result.find(':')) + ":" + output + ":0";
}

RaggedTokens SplitAtSpaces(const Call& call, const std::string& texts) {
  const std::string values =
      call.nodes.Add("StringSplitV2", {texts, call.nodes.Scalar(std::string())},
                     {{"maxsplit", IntAttribute(-1)}}, "values");
  const std::string rows =
      Slice(call, Other(values, "shape"), 0, /*column=*/false);
  const std::string row_of =
      Slice(call, Other(values, "indices"), 0, /*column=*/true);
  return {values, SplitsOf(call, row_of, rows)};
}

std::string Range(const Call& call, const std::string& end, int64_t step) {
  return call.nodes.Add(
      "Range", {call.nodes.Scalar(int64_t{0}), end, call.nodes.Scalar(step)},
      {{"Tidx", TypeAttribute(tensor_bundle::DT_INT64)}}, "output");
}

std::string SizePlusOne(const Call& call, const std::string& x, DType dtype) {
  const std::string size = call.nodes.AddTyped(
      "Size", dtype, {x}, "output",
      {{"out_type", TypeAttribute(tensor_bundle::DT_INT64)}});
  return AddInt64(call, size, 1);
}

RaggedTokens SplitCharacters(const Call& call, const std::string& texts) {
  const Attributes unicode = {
      {"errors", TextAttribute("replace")},
      {"replacement_char", IntAttribute(0xfffd)},
      {"Tsplits", TypeAttribute(tensor_bundle::DT_INT64)}};
  Attributes decode = unicode;
  decode.emplace_back("input_encoding", TextAttribute("UTF-8"));
  decode.emplace_back("replace_control_characters", BoolAttribute(false));
  const std::string codes =
      call.nodes.Add("UnicodeDecode", {texts}, decode, "char_values");
  Attributes encode = unicode;
  encode.emplace_back("output_encoding", TextAttribute("UTF-8"));
  const std::string each =
      Range(call, SizePlusOne(call, codes, DType::kInt32), 1);
  return {call.nodes.Add("UnicodeEncode", {codes, each}, encode, "output"),
          Other(codes, "row_splits")};
}

// The parts of each text, which are not split.
RaggedTokens KeepParts(const Call& call, const std::string& texts) {
  if (call.shape().rank() != 2 || call.shape()[1] == kUnknownDim) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' does not split texts, and its n-grams or "
        "lengths can be exported only for inputs of the shape (n, parts)",
        call.layer.name());
  }
  const std::string all = ReshapeTo(call, {texts, {}, DType::kString}, Shape{});
  return {all,
          Range(call, SizePlusOne(call, all, DType::kString), call.shape()[1])};
}

RaggedTokens TokensOf(const Call& call) {
  const std::string texts = Standardized(call);
  const Json& split = call.config.at("split");
  if (split.is_null()) return KeepParts(call, texts);
  if (call.shape().rank() > 2) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' splits texts of the shape {}; only (n) and "
        "(n, 1) can be exported",
        call.layer.name(), ToString(call.shape()));
  }
  const std::string list =
      call.shape().rank() == 2
          ? ReshapeTo(call, {texts, {}, DType::kString}, Shape{})
          : texts;
  return split == "character" ? SplitCharacters(call, list)
                              : SplitAtSpaces(call, list);
}

RaggedTokens Joined(const Call& call, const RaggedTokens& tokens) {
  const Json& ngrams = call.config.at("ngrams");
  if (ngrams.is_null()) return tokens;
  std::vector<int64_t> widths;
  if (ngrams.is_array()) {
    widths = ngrams.get<std::vector<int64_t>>();
  } else {
    for (int64_t i = 1; i <= ngrams.get<int64_t>(); ++i) widths.push_back(i);
  }
  const std::string joined =
      call.nodes.Add("StringNGrams", {tokens.tokens, tokens.splits},
                     {{"separator", TextAttribute(" ")},
                      {"ngram_widths", IntsAttribute(widths)},
                      {"left_pad", TextAttribute("")},
                      {"right_pad", TextAttribute("")},
                      {"pad_width", IntAttribute(0)},
                      {"preserve_short_sequences", BoolAttribute(false)},
                      {"Tsplits", TypeAttribute(tensor_bundle::DT_INT64)}},
                     "ngrams");
  return {joined, Other(joined, "ngrams_splits")};
}

NodeResult PadRows(const Call& call, const std::string& splits,
                   const std::string& ids) {
  const Json& length = call.config.at("output_sequence_length");
  const std::vector<int64_t> shape = {
      -1, length.is_null() ? -1 : length.get<int64_t>()};
  const AttrValue int64 = TypeAttribute(tensor_bundle::DT_INT64);
  const std::string rows = call.nodes.AddTyped(
      "RaggedTensorToTensor", DType::kInt64,
      {call.nodes.Constant(Tensor::FromVector(shape, Shape{2}, Device::Host())),
       ids, call.nodes.Scalar(int64_t{0}), splits},
      "result",
      {{"Tindex", int64},
       {"Tshape", int64},
       {"num_row_partition_tensors", IntAttribute(1)},
       {"row_partition_types", TextsAttribute({"ROW_SPLITS"})}});
  return {rows, {}, DType::kInt64};
}

// Id 0 pads and is the empty text's; 1, or 0 in vectors, that of unknown words.
NodeResult WriteTextVectorization(const Call& call) {
  const Encoding encoding = LookupEncoding(call);
  const bool ids_only = encoding.mode == OutputMode::kInt;
  const int64_t unknown = ids_only ? 1 : 0;
  const bool whole = call.config.at("split").is_null() &&
                     call.config.at("ngrams").is_null() &&
                     call.config.at("output_sequence_length").is_null();
  if (whole) {
    Encoding with_mask = encoding;
    with_mask.may_leave_out = true;
    const std::string ids =
        FindInTable(call, DType::kString, Standardized(call), unknown);
    return WriteEncoding(call, {ids, call.shape(), DType::kInt64}, with_mask);
  }
  if (encoding.mode == OutputMode::kOneHot) {
    throw Unimplemented(
        "[ExportSavedModel] '{}' has the output mode one_hot for texts that "
        "are "
        "split, which cannot be exported; use multi_hot or count",
        call.layer.name());
  }
  const RaggedTokens tokens = Joined(call, TokensOf(call));
  const std::string ids =
      FindInTable(call, DType::kString, tokens.tokens, unknown);
  return ids_only ? PadRows(call, tokens.splits, ids)
                  : WriteRaggedEncoding(call, tokens.splits, ids, encoding);
}

}  // namespace

void AddTextWriters(LayerWriters& writers) {
  writers["TextVectorization"] = WriteTextVectorization;
}

}  // namespace lockstep::export_internal
