// Operations that number words, and those on the characters of UTF-8.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/export/saved_model/loading/operations/host_values.h"
#include "reference/export/saved_model/loading/operations/operation.h"
#include "reference/export/saved_model/loading/operations/words_of_tensors.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"
#include "reference/preprocessing/words/word_hash.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::export_internal {
namespace {

using words_internal::DecimalText;
using words_internal::WordHash;

constexpr char kReplacement[] = "\xef\xbf\xbd";  // U+FFFD

Operation AsString(const NodeAttributes& attributes) {
  attributes.ExpectInputs(1);
  if (!IsInteger(attributes.Type("T")) ||
      attributes.Integer("width", -1) != -1 ||
      !attributes.Text("fill", "").empty()) {
    throw Unimplemented("{}: only integers without a width are supported",
                        attributes.place());
  }
  return {[](Tensors inputs) {
            const Tensor numbers = inputs[0].Cast(DType::kInt64);
            Tensor texts = EmptyOnHost(numbers.shape(), DType::kString);
            std::ranges::transform(
                numbers.span<int64_t>(), texts.mutable_data<std::string>(),
                [](int64_t x) { return std::string(DecimalText(x).view()); });
            return texts;
          },
          [](Tensors inputs) {
            return (kWordBytes + 28) *
                   static_cast<double>(inputs[0].num_elements());
          }};
}

Operation Hash(const NodeAttributes& attributes, const WordHash& hash) {
  attributes.ExpectInputs(1);
  const int64_t bins = attributes.Integer("num_buckets", 0);
  if (bins < 1) {
    throw DataLoss("{}: has {} buckets", attributes.place(), bins);
  }
  return {[hash, bins](Tensors inputs) {
            Tensor ids = EmptyOnHost(inputs[0].shape(), DType::kInt64);
            std::ranges::transform(
                WordsIn(inputs[0]), ids.mutable_data<int64_t>(),
                [&](const std::string& word) { return hash.Bin(word, bins); });
            return ids;
          },
          {}};
}

Operation FastHash(const NodeAttributes& attributes) {
  return Hash(attributes, WordHash());
}

Operation StrongHash(const NodeAttributes& attributes) {
  const auto key = attributes.Integers("key");
  if (key.size() != 2) {
    throw DataLoss("{}: has a key of {} numbers", attributes.place(),
                   key.size());
  }
  return Hash(attributes, WordHash(Salt(key[0], key[1])));
}

// The bin of a row of several features.
Operation SparseCross(const NodeAttributes& attributes) {
  const int64_t bins = attributes.Integer("num_buckets", 0);
  const auto seed = static_cast<uint64_t>(attributes.Integer("hash_key", 0));
  if (attributes.Integer("N", 0) != 0 || bins < 1 ||
      !attributes.Flag("hashed_output", false)) {
    throw Unimplemented("{}: only bins of features without gaps are supported",
                        attributes.place());
  }
  if (attributes.num_inputs() == 0) attributes.ExpectInputs(2);
  Operation operation;
  operation.results = {"output_indices", "output_values", "output_shape"};
  operation.compute_all = [=](Tensors inputs) -> std::vector<Tensor> {
    const int64_t rows = inputs[0].rank() == 0 ? 0 : inputs[0].dim(0);
    std::vector<uint64_t> hashes(static_cast<size_t>(rows), seed);
    for (const Tensor& feature : inputs) {
      if (feature.shape() != Shape{rows, 1}) {
        throw InvalidArgument("features must be of the shape (n, 1), got {}",
                              Describe(feature));
      }
      for (size_t i = 0; i < hashes.size(); ++i) {
        const uint64_t value =
            feature.dtype() == DType::kString
                ? words_internal::Fingerprint(feature.data<std::string>()[i])
                : static_cast<uint64_t>(feature.data<int64_t>()[i]);
        hashes[i] = words_internal::CrossHash(hashes[i], value);
      }
    }
    std::vector<int64_t> ids, places;
    for (int64_t row = 0; row < rows; ++row) {
      places.insert(places.end(), {row, 0});
      ids.push_back(static_cast<int64_t>(hashes[static_cast<size_t>(row)] %
                                         static_cast<uint64_t>(bins)));
    }
    return {NumberList(places).Reshape(Shape{rows, 2}), NumberList(ids),
            NumberList({rows, 1})};
  };
  operation.most_bytes = [](Tensors inputs) {
    return 64 + 8 * BytesOf(inputs.first(1));
  };
  return operation;
}

// The code of a valid character.
int32_t CodeOf(std::string_view character) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(character[i]);
  };
  if (character.size() == 1) return byte(0);
  int32_t code = byte(0) & (0x7f >> character.size());
  for (size_t i = 1; i < character.size(); ++i) {
    code = code << 6 | (byte(i) & 0x3f);
  }
  return code;
}

void CheckUnicode(const NodeAttributes& attributes, const char* encoding) {
  if (attributes.Text(encoding, "UTF-8") == "UTF-8" &&
      attributes.Text("errors", "replace") == "replace" &&
      attributes.Integer("replacement_char", 0xfffd) == 0xfffd &&
      !attributes.Flag("replace_control_characters", false)) {
    return;
  }
  throw Unimplemented("{}: only UTF-8 with U+FFFD for errors is supported",
                      attributes.place());
}

Operation UnicodeDecode(const NodeAttributes& attributes) {
  attributes.ExpectInputs(1);
  CheckUnicode(attributes, "input_encoding");
  Operation operation;
  operation.results = {"row_splits", "char_values"};
  operation.compute_all = [](Tensors inputs) -> std::vector<Tensor> {
    std::vector<int64_t> splits = {0};
    std::vector<int32_t> codes;
    for (std::string_view text : WordsIn(inputs[0])) {
      while (!text.empty()) {
        const auto first = words_internal::FirstCharacter(text);
        codes.push_back(first.valid ? CodeOf(text.substr(0, first.bytes))
                                    : 0xfffd);
        text.remove_prefix(first.bytes);
      }
      splits.push_back(std::ssize(codes));
    }
    return {
        NumberList(splits),
        Tensor::FromVector(codes, Shape{std::ssize(codes)}, Device::Host())};
  };
  operation.most_bytes = [](Tensors inputs) {
    return 8 * TextBytes(inputs[0]) + 8 * BytesOf(inputs) + 16;
  };
  return operation;
}

std::string Encoded(int64_t code) {
  const auto tail = [&](int shift) {
    return static_cast<char>(0x80 | ((code >> shift) & 0x3f));
  };
  if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    return kReplacement;
  }
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) {
    return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  }
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

Operation UnicodeEncode(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  CheckUnicode(attributes, "output_encoding");
  return {[](Tensors inputs) {
            const auto codes = IntegersIn("the codes", inputs[0]);
            const auto splits = SplitsIn(inputs[1], std::ssize(codes));
            std::vector<std::string> words;
            for (size_t i = 1; i < splits.size(); ++i) {
              std::string& word = words.emplace_back();
              for (int64_t at = splits[i - 1]; at < splits[i]; ++at) {
                word += Encoded(codes[static_cast<size_t>(at)]);
              }
            }
            return WordList(words);
          },
          [](Tensors inputs) { return 16 * BytesOf(inputs); }};
}

}  // namespace

void AddHashOperations(OperationTable& table) {
  table.insert({{"AsString", AsString},
                {"SparseCross", SparseCross},
                {"StringToHashBucketFast", FastHash},
                {"StringToHashBucketStrong", StrongHash},
                {"UnicodeDecode", UnicodeDecode},
                {"UnicodeEncode", UnicodeEncode}});
}

}  // namespace lockstep::export_internal
