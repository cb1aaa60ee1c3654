#include "reference/preprocessing/words/lookup.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "reference/base/error.h"
#include "reference/layers/layer_config.h"
#include "reference/preprocessing/words/lookup_rules.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

using words_internal::IntegerKey;
using words_internal::LookupTablePtr;
using words_internal::WordCounts;

template <typename Token>
constexpr bool kIsWord = std::is_same_v<Token, std::string>;

// The values of a tensor on the host: words, or integers as int64. Errors:
// Unimplemented for other types.
template <typename Token>
Tensor Values(const std::string& layer, const Tensor& x) {
  const bool fits =
      kIsWord<Token> ? x.dtype() == DType::kString
                     : x.dtype() != DType::kString && x.dtype() != DType::kBool;
  if (!fits) {
    throw Unimplemented("[{}] looks {} up, got {}", layer,
                        kIsWord<Token> ? "words" : "numbers", Describe(x));
  }
  return kIsWord<Token> ? x : x.ToHost().Cast(DType::kInt64);
}

// Calls `visit` with the key of each value.
template <typename Token, typename Visit>
void VisitKeys(std::span<const Token> values, const Visit& visit) {
  for (const Token& value : values) {
    if constexpr (kIsWord<Token>) {
      visit(std::string_view(value));
    } else {
      visit(IntegerKey(value).view());
    }
  }
}

}  // namespace

template <typename Token>
LookupImpl<Token>::LookupImpl(LookupOptions<Token> options)
    : VocabularyLayerImpl<Token>(
          kIsWord<Token> ? "string_lookup" : "integer_lookup",
          std::move(options)) {
  this->SetInitialVocabulary();
}

template <typename Token>
void LookupImpl<Token>::Count(const Tensor& batch, WordCounts& counts) const {
  const Tensor values = Values<Token>(this->name(), batch);
  const int64_t rows = values.rank() < 2 ? 1 : values.dim(0);
  if (values.num_elements() == 0) return;
  const auto length = static_cast<size_t>(values.num_elements() / rows);
  const auto all = values.template span<Token>();
  for (size_t begin = 0; begin < all.size(); begin += length) {
    VisitKeys<Token>(all.subspan(begin, length),
                     [&](std::string_view key) { counts.Add(key); });
    counts.EndDocument();
  }
}

template <typename Token>
Shape LookupImpl<Token>::ComputeOutputShape(const Shape& input_shape) const {
  return EncodedShape(this->lookup_options().output_mode, input_shape,
                      this->lookup().depth());
}

template <typename Token>
Tensor LookupImpl<Token>::Invert(const Tensor& ids) const {
  const LookupTablePtr table = this->lookup().table();
  const Tensor numbers = Values<int64_t>(this->name(), ids);
  Tensor tokens = EmptyOnHost(ids.shape(), kDTypeOf<Token>);
  std::ranges::transform(numbers.span<int64_t>(),
                         tokens.template mutable_data<Token>(),
                         [&](int64_t id) {
                           const std::string_view word = table->WordOf(id);
                           if constexpr (kIsWord<Token>) {
                             return std::string(word);
                           } else {
                             return IntegerKey::NumberOf(word);
                           }
                         });
  return tokens;
}

template <typename Token>
Tensor LookupImpl<Token>::Call(const Tensor& x, bool /*training*/) {
  if (this->lookup_options().invert) return this->OnCurrentDevice(Invert(x));
  const LookupTablePtr table = this->lookup().table();
  const Tensor values = Values<Token>(this->name(), x);
  std::vector<int64_t> ids;
  ids.reserve(static_cast<size_t>(x.num_elements()));
  VisitKeys<Token>(values.template span<Token>(), [&](std::string_view key) {
    ids.push_back(table->IdOf(key));
  });
  return this->OnCurrentDevice(EncodeIds(this->lookup_options().output_mode,
                                         ids, x.shape(), table->depth(),
                                         table->encoding()));
}

namespace {

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

template <typename Token>
LayerConfig LookupImpl<Token>::Config() const {
  const LookupOptions<Token>& options = this->lookup_options();
  LayerConfig config =
      StartConfig(kIsWord<Token> ? "StringLookup" : "IntegerLookup", *this);
  const bool hashed = options.oov_method == OovMethod::kFarmHash;
  Json& keys = config.config;
  keys.update({{"invert", options.invert},
               {"max_tokens", OrNull(options.max_tokens)},
               {"num_oov_indices", options.num_oov_indices},
               {"oov_token", options.oov_token},
               {"mask_token", OrNull(options.mask_token)},
               {"output_mode", OutputModeName(options.output_mode)},
               {"sparse", false},
               {"pad_to_max_tokens", options.pad_to_max_tokens}});
  if (!kIsWord<Token>) keys["vocabulary_dtype"] = "int64";
  keys.update(words_internal::GivenVocabulary(options));
  const bool known = this->lookup().FindTable() != nullptr;
  keys["vocabulary_size"] = known ? Json(this->lookup().size()) : Json(nullptr);
  keys["oov_method"] = hashed ? "farmhash" : "floormod";
  keys["salt"] = options.salt ? Json(options.salt->ToArray()) : Json(nullptr);
  if (kIsWord<Token>) keys["encoding"] = "utf-8";
  return config;
}

template class LookupImpl<std::string>;
template class LookupImpl<int64_t>;

}  // namespace lockstep
