// Writes layers of words and categories, except TextVectorization.
#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/saved_model/layer_call.h"
#include "reference/export/saved_model/lookup_nodes.h"
#include "reference/preprocessing/words/stored_vocabulary.h"
#include "reference/preprocessing/words/word_hash.h"

namespace lockstep::export_internal {
namespace {

using Call = LayerCall;

constexpr int64_t kNotFound = -2;  // kNoId is the mask's

// The bin of each word.
std::string Hash(const Call& call, const std::string& words, int64_t bins,
                 const Json& salt) {
  if (salt.is_null()) {
    return call.nodes.Add("StringToHashBucketFast", {words},
                          {{"num_buckets", IntAttribute(bins)}}, "output");
  }
  return call.nodes.Add(
      "StringToHashBucketStrong", {words},
      {{"num_buckets", IntAttribute(bins)},
       {"key", IntsAttribute(salt.get<std::vector<int64_t>>())}},
      "output");
}

// Integers as decimal text.
std::string Decimal(const Call& call, const std::string& numbers) {
  return call.nodes.AddTyped("AsString", DType::kInt64, {numbers}, "output");
}

std::string Select(const Call& call, DType dtype, const std::string& condition,
                   const std::string& yes, const std::string& no) {
  return call.nodes.AddTyped("SelectV2", dtype, {condition, yes, no}, "output");
}

template <typename T>
std::string Equal(const Call& call, const std::string& x, const T& value) {
  return call.nodes.AddTyped("Equal", kDTypeOf<T>,
                             {x, call.nodes.Scalar(value)}, "z");
}

// The ids, after a check that all were found.
std::string ExpectFound(const Call& call, const std::string& ids) {
  const std::string fits = call.nodes.AddTyped(
      "NotEqual", DType::kInt64, {ids, call.nodes.Scalar(kNotFound)}, "z");
  const std::string flat =
      call.nodes.Add("Reshape", {fits, call.nodes.Integers({-1})},
                     {{"T", TypeAttribute(tensor_bundle::DT_BOOL)},
                      {"Tshape", TypeAttribute(tensor_bundle::DT_INT32)}},
                     "output");
  const std::string all = call.nodes.Add(
      "All", {flat, call.nodes.Integer(0)},
      {{"Tidx", TypeAttribute(tensor_bundle::DT_INT32)}}, "output");
  const std::string message =
      call.nodes.Scalar("'" + call.layer.name() +
                        "' has no id for words outside of its vocabulary");
  const std::string check = call.nodes.Add(
      "Assert", {all, message},
      {{"T", TypesAttribute({tensor_bundle::DT_STRING})}}, "none");
  return call.nodes.AddTyped("Identity", DType::kInt64,
                             {ids, "^" + check.substr(0, check.find(':'))},
                             "output");
}

// The place of unknown values among their ids.
std::string Bucket(const Call& call, DType type, const std::string& x,
                   int64_t count) {
  const bool hashed = call.config.at("oov_method") == "farmhash";
  if (type == DType::kString) {
    return Hash(call, x, count, call.config.at("salt"));
  }
  if (hashed) {
    return Hash(call, Decimal(call, x), count, call.config.at("salt"));
  }
  return call.nodes.AddTyped("FloorMod", DType::kInt64,
                             {x, call.nodes.Scalar(count)}, "z");
}

// The id of each value; the mask's is 0, or kNoId in vectors.
std::string LookUp(const Call& call, DType type, const std::string& x) {
  const auto count = call.config.at("num_oov_indices").get<int64_t>();
  const bool masks = !call.config.at("mask_token").is_null();
  const int64_t first = masks && ModeOf(call) == OutputMode::kInt ? 1 : 0;
  if (count == 1) return FindInTable(call, type, x, first);
  const std::string found = FindInTable(call, type, x, kNotFound);
  if (count == 0) return ExpectFound(call, found);
  const std::string other = AddInt64(call, Bucket(call, type, x, count), first);
  return Select(call, DType::kInt64, Equal(call, found, kNotFound), other,
                found);
}

template <typename Token>
NodeResult Inverted(const Call& call) {
  const auto oov = call.config.at("oov_token").get<Token>();
  return {FindInTable(call, DType::kInt64, call.As(DType::kInt64), oov),
          {},
          kDTypeOf<Token>};
}

template <typename Token>
NodeResult WriteLookup(const Call& call) {
  if (call.config.at("invert").get<bool>()) return Inverted<Token>(call);
  const DType type = kDTypeOf<Token>;
  const std::string ids = LookUp(call, type, call.As(type));
  Encoding encoding = LookupEncoding(call);
  encoding.may_leave_out = !call.config.at("mask_token").is_null();
  return WriteEncoding(call, {ids, call.shape(), DType::kInt64}, encoding);
}

// 1.5 is not the mask value 1, although it is hashed as 1.
std::string IsMask(const Call& call, const Json& mask) {
  if (mask.is_string()) {
    return Equal(call, call.As(DType::kString), mask.get<std::string>());
  }
  if (call.dtype() == DType::kFloat32) {
    return Equal(call, call.x(), mask.get<float>());
  }
  return Equal(call, call.As(DType::kInt64), mask.get<int64_t>());
}

NodeResult WriteHashing(const Call& call) {
  const auto bins = call.config.at("num_bins").get<int64_t>();
  const Json& mask = call.config.at("mask_value");
  const bool masks = !mask.is_null() && bins > 1;
  const std::string words = call.dtype() == DType::kString
                                ? call.x()
                                : Decimal(call, call.As(DType::kInt64));
  std::string ids =
      Hash(call, words, masks ? bins - 1 : bins, call.config.at("salt"));
  if (masks) {
    ids = Select(call, DType::kInt64, IsMask(call, mask),
                 call.nodes.Scalar(int64_t{0}), AddInt64(call, ids, 1));
  }
  return WriteEncoding(call, {ids, call.shape(), DType::kInt64},
                       {.mode = ModeOf(call), .depth = bins});
}

NodeResult WriteHashedCrossing(const Call& call) {
  const auto bins = call.config.at("num_bins").get<int64_t>();
  std::vector<std::string> features;
  std::vector<int> types;
  for (const NodeResult& input : call.inputs) {
    const bool words = input.dtype == DType::kString;
    const DType type = words ? DType::kString : DType::kInt64;
    const std::string typed = call.nodes.Cast(input.name, input.dtype, type);
    features.push_back(ReshapeTo(call, {typed, {}, type}, Shape{1}));
    types.push_back(TypeNumber(type));
  }
  const AttrValue int64 = TypeAttribute(tensor_bundle::DT_INT64);
  const std::string crossed = call.nodes.Add(
      "SparseCross", features,
      {{"N", IntAttribute(0)},
       {"hashed_output", BoolAttribute(true)},
       {"num_buckets", IntAttribute(bins)},
       {"hash_key",
        IntAttribute(static_cast<int64_t>(words_internal::kCrossSeed))},
       {"sparse_types", TypesAttribute({})},
       {"dense_types", TypesAttribute(types)},
       {"out_type", int64},
       {"internal_type", int64}},
      "output_values");
  const Shape dims = call.shape().rank() == 2 ? Shape{1} : Shape{};
  const std::string ids = ReshapeTo(call, {crossed, {}, DType::kInt64}, dims);
  return WriteEncoding(call, {ids, call.shape(), DType::kInt64},
                       {.mode = ModeOf(call), .depth = bins});
}

NodeResult WriteCategoryEncoding(const Call& call) {
  Encoding encoding = {.mode = ModeOf(call),
                       .depth = call.config.at("num_tokens").get<int64_t>()};
  if (call.inputs.size() > 1) {
    const NodeResult& weights = call.inputs[1];
    encoding.count_weights =
        call.nodes.Cast(weights.name, weights.dtype, DType::kFloat32);
    if (call.shape().rank() > 2) {
      throw Unimplemented(
          "[ExportSavedModel] '{}' has weights of numbers of the shape {}; "
          "only (n, numbers) can be exported",
          call.layer.name(), ToString(call.shape()));
    }
  }
  return WriteEncoding(
      call, {call.As(DType::kInt64), call.shape(), DType::kInt64}, encoding);
}

}  // namespace

std::string AddInt64(const LayerCall& call, const std::string& x,
                     int64_t number) {
  if (number == 0) return x;
  return call.nodes.AddTyped("AddV2", DType::kInt64,
                             {x, call.nodes.Scalar(number)}, "z");
}

OutputMode ModeOf(const LayerCall& call) {
  return ParseOutputMode(call.config.at("output_mode").get<std::string>());
}

Encoding LookupEncoding(const LayerCall& call) {
  Encoding encoding = {
      .mode = ModeOf(call), .depth = 0, .dtype = DType::kInt64};
  if (encoding.mode == OutputMode::kInt) return encoding;
  const VocabularyContent content =
      dynamic_cast<const StoredVocabulary&>(call.layer).Content();
  const bool padded = call.config.at("pad_to_max_tokens").get<bool>();
  encoding.depth = padded ? call.config.at("max_tokens").get<int64_t>()
                          : std::ssize(content.words);
  encoding.weights = content.weights;
  return encoding;
}

void AddWordWriters(LayerWriters& writers) {
  writers["CategoryEncoding"] = WriteCategoryEncoding;
  writers["HashedCrossing"] = WriteHashedCrossing;
  writers["Hashing"] = WriteHashing;
  writers["IntegerLookup"] = WriteLookup<int64_t>;
  writers["StringLookup"] = WriteLookup<std::string>;
  AddTextWriters(writers);
}

}  // namespace lockstep::export_internal
