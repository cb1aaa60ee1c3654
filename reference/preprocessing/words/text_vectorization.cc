#include "reference/preprocessing/words/text_vectorization.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "reference/base/error.h"
#include "reference/layers/layer_config.h"
#include "reference/preprocessing/words/lookup_rules.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

using words_internal::LookupTablePtr;
using words_internal::WordCounts;

LookupOptions<std::string> MakeLookupOptions(
    const TextVectorizationOptions& options) {
  return {.max_tokens = options.max_tokens,
          .mask_token = "",
          .vocabulary = options.vocabulary,
          .vocabulary_file = options.vocabulary_file,
          .idf_weights = options.idf_weights,
          .output_mode = options.output_mode,
          .pad_to_max_tokens = options.pad_to_max_tokens,
          .vocabulary_size = options.vocabulary_size,
          .name = options.name};
}

// 3 is {1, 2, 3}. Keras accepts 0, which makes no tokens at all.
std::vector<int64_t> WidthsOf(const Ngrams& ngrams) {
  if (const auto* widths = std::get_if<std::vector<int64_t>>(&ngrams)) {
    return *widths;
  }
  std::vector<int64_t> widths(
      static_cast<size_t>(std::max<int64_t>(std::get<int64_t>(ngrams), 0)));
  std::iota(widths.begin(), widths.end(), 1);
  return widths;
}

void CheckOptions(const std::string& layer,
                  const TextVectorizationOptions& options) {
  const std::optional<int64_t> length = options.output_sequence_length;
  if (length && options.output_mode != OutputMode::kInt) {
    throw InvalidArgument(
        "[{}] output_sequence_length needs output mode int, got {}", layer,
        OutputModeName(options.output_mode));
  }
  if (length && *length < 0) {
    throw InvalidArgument(
        "[{}] output_sequence_length must not be negative, got {}", layer,
        *length);
  }
  if (!options.ngrams) return;
  for (const int64_t width : WidthsOf(*options.ngrams)) {
    if (width >= 1) continue;
    throw InvalidArgument("[{}] n-grams need one token or more, got {}", layer,
                          width);
  }
}

// Rows of different lengths as one tensor. Longer rows than `length` are cut.
Tensor PadRows(std::span<const int64_t> ids, std::span<const int64_t> ends,
               const Shape& rows, int64_t length) {
  std::vector<int64_t> dims(rows.dims().begin(), rows.dims().end());
  dims.push_back(length);
  Tensor padded = ZerosOnHost(Shape(dims), DType::kInt64);
  auto* row = padded.mutable_data<int64_t>();
  int64_t begin = 0;
  for (const int64_t end : ends) {
    std::copy_n(ids.begin() + begin, std::min(end - begin, length), row);
    row += length;
    begin = end;
  }
  return padded;
}

int64_t Longest(std::span<const int64_t> ends) {
  int64_t longest = 0;
  int64_t begin = 0;
  for (const int64_t end : ends) {
    longest = std::max(longest, end - begin);
    begin = end;
  }
  return longest;
}

}  // namespace

TextVectorizationImpl::TextVectorizationImpl(TextVectorizationOptions options)
    : VocabularyLayerImpl("text_vectorization", MakeLookupOptions(options)),
      options_(std::move(options)) {
  CheckOptions(name(), options_);
  SetInitialVocabulary();
}

words_internal::TokenizerOptions TextVectorizationImpl::MakeTokenizerOptions()
    const {
  words_internal::TokenizerOptions tokenizer = {
      .standardize = options_.standardize, .split = options_.split};
  if (options_.ngrams) tokenizer.ngrams = WidthsOf(*options_.ngrams);
  return tokenizer;
}

Shape TextVectorizationImpl::TextsOf(const Shape& input_shape) const {
  const int rank = input_shape.rank();
  if (rank == 0) return input_shape;
  const bool splits = options_.split != SplitAt::kNothing;
  if (rank == 1 && splits) return input_shape;
  const int64_t last = input_shape[rank - 1];
  if (splits && last != 1) {
    throw InvalidArgument(
        "[{}] texts must have the shape (n) or (n, 1), got {}; reshape them",
        name(), ToString(input_shape));
  }
  return Shape(input_shape.dims().first(static_cast<size_t>(rank - 1)));
}

template <typename Visit>
void TextVectorizationImpl::VisitTexts(const Tensor& x,
                                       const Visit& visit) const {
  if (x.dtype() != DType::kString) {
    throw Unimplemented("[{}] needs texts, got {}", name(), Describe(x));
  }
  const int64_t texts = TextsOf(x.shape()).num_elements();
  if (texts == 0) return;
  const auto parts = static_cast<size_t>(x.num_elements() / texts);
  words_internal::Tokenizer tokenizer(MakeTokenizerOptions());
  for (int64_t i = 0; i < texts; ++i) {
    visit(tokenizer.Split(
        x.span<std::string>().subspan(static_cast<size_t>(i) * parts, parts)));
  }
}

void TextVectorizationImpl::Count(const Tensor& batch,
                                  WordCounts& counts) const {
  VisitTexts(batch, [&](const std::vector<std::string_view>& tokens) {
    for (const std::string_view token : tokens) counts.Add(token);
    counts.EndDocument();
  });
}

Shape TextVectorizationImpl::ComputeOutputShape(
    const Shape& input_shape) const {
  const Shape texts = TextsOf(input_shape);
  std::vector<int64_t> dims(texts.dims().begin(), texts.dims().end());
  if (options_.output_mode == OutputMode::kInt) {
    dims.push_back(options_.output_sequence_length.value_or(kUnknownDim));
  } else if (options_.output_mode == OutputMode::kOneHot) {
    dims.insert(dims.end(), {kUnknownDim, lookup().depth()});
  } else {
    dims.push_back(lookup().depth());
  }
  return Shape(dims);
}

Tensor TextVectorizationImpl::Call(const Tensor& x, bool /*training*/) {
  const LookupTablePtr table = lookup().table();
  std::vector<int64_t> ids;
  std::vector<int64_t> ends;  // of each text
  VisitTexts(x, [&](const std::vector<std::string_view>& tokens) {
    for (const std::string_view token : tokens) {
      ids.push_back(table->IdOf(token));
    }
    ends.push_back(std::ssize(ids));
  });
  const Shape texts = TextsOf(x.shape());
  const OutputMode mode = options_.output_mode;
  const int64_t longest = Longest(ends);
  if (mode == OutputMode::kInt) {
    return OnCurrentDevice(PadRows(
        ids, ends, texts, options_.output_sequence_length.value_or(longest)));
  }
  if (mode != OutputMode::kOneHot) {
    return OnCurrentDevice(EncodeSamples(mode, ids, ends, texts, table->depth(),
                                         table->encoding()));
  }
  if (longest * std::ssize(ends) != std::ssize(ids)) {
    throw InvalidArgument(
        "[{}] output mode one_hot needs texts of equal numbers of tokens; one "
        "has {} and others have fewer",
        name(), longest);
  }
  std::vector<int64_t> dims(texts.dims().begin(), texts.dims().end());
  dims.insert(dims.end(), {longest, 1});
  return OnCurrentDevice(
      EncodeIds(mode, ids, Shape(dims), table->depth(), table->encoding()));
}

namespace {

const char* StandardizeName(Standardize standardize) {
  switch (standardize) {
    case Standardize::kLower:
      return "lower";
    case Standardize::kStripPunctuation:
      return "strip_punctuation";
    case Standardize::kLowerAndStripPunctuation:
      return "lower_and_strip_punctuation";
    case Standardize::kNone:
      break;
  }
  return nullptr;
}

Json TextOrNull(const char* text) { return text ? Json(text) : Json(nullptr); }

}  // namespace

LayerConfig TextVectorizationImpl::Config() const {
  LayerConfig config = StartConfig("TextVectorization", *this);
  const char* split = options_.split == SplitAt::kWhitespace  ? "whitespace"
                      : options_.split == SplitAt::kCharacter ? "character"
                                                              : nullptr;
  Json ngrams = nullptr;
  if (options_.ngrams) {
    std::visit([&](const auto& value) { ngrams = value; }, *options_.ngrams);
  }
  Json given = words_internal::GivenVocabulary(lookup_options());
  const auto number = [](const std::optional<int64_t>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  config.config.update(
      {{"max_tokens", number(options_.max_tokens)},
       {"standardize", TextOrNull(StandardizeName(options_.standardize))},
       {"split", TextOrNull(split)},
       {"ngrams", ngrams},
       {"output_mode", OutputModeName(options_.output_mode)},
       {"output_sequence_length", number(options_.output_sequence_length)},
       {"pad_to_max_tokens", options_.pad_to_max_tokens},
       {"sparse", false},
       {"ragged", false},
       {"vocabulary", given["vocabulary"]},
       {"idf_weights", given["idf_weights"]},
       {"encoding", "utf-8"},
       {"vocabulary_size", lookup().size()}});
  return config;
}

}  // namespace lockstep
