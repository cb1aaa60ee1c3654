// Operations that change, split and join words.
#include <algorithm>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "reference/export/saved_model/loading/operations/host_values.h"
#include "reference/export/saved_model/loading/operations/operation.h"
#include "reference/export/saved_model/loading/operations/words_of_tensors.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::export_internal {
namespace {

// Each word changed by a function.
template <typename Function>
Operation EachWord(const Function& function) {
  return {[function](Tensors inputs) {
            const auto words = WordsIn(inputs[0]);
            Tensor changed = EmptyOnHost(inputs[0].shape(), DType::kString);
            std::ranges::transform(words, changed.mutable_data<std::string>(),
                                   function);
            return changed;
          },
          WordsBound};
}

Operation StringLower(const NodeAttributes& attributes) {
  attributes.ExpectInputs(1);
  if (!attributes.Text("encoding", "").empty()) {
    throw Unimplemented("{}: only letters of ASCII are supported",
                        attributes.place());
  }
  return EachWord([](std::string word) {
    for (char& byte : word) {
      if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + 32);
    }
    return word;
  });
}

// The bytes of a regular expression that is a class of ASCII characters, such as
// [a-z_\]]. Errors: Unimplemented, with the expression, for any other.
std::bitset<256> ParseClass(const NodeAttributes& attributes,
                            std::string_view pattern) {
  const auto refuse = [&]() -> Error {
    return Unimplemented(
        "{}: the pattern '{}' is not a class of ASCII characters, as in "
        "'[a-z]'",
        attributes.place(), pattern);
  };
  if (pattern.size() < 3 || pattern.front() != '[' || pattern.back() != ']' ||
      pattern[1] == '^') {
    throw refuse();
  }
  std::string_view rest = pattern.substr(1, pattern.size() - 2);
  const auto take = [&] {
    bool escaped = rest.front() == '\\';
    if (escaped) rest.remove_prefix(1);
    const char byte = rest.empty() ? '\0' : rest.front();
    // \d is a class; [:alpha:] too; a bracket would end this one.
    const bool letter = (byte >= '0' && byte <= '9') ||
                        ((byte | 32) >= 'a' && (byte | 32) <= 'z');
    if (byte <= 0 || (escaped && letter) ||
        (!escaped && (byte == ']' || byte == '['))) {
      throw refuse();
    }
    rest.remove_prefix(1);
    return static_cast<unsigned char>(byte);
  };
  std::bitset<256> bytes;
  while (!rest.empty()) {
    const unsigned char first = take();
    unsigned char last = first;
    if (rest.size() > 1 && rest.front() == '-') {
      rest.remove_prefix(1);
      last = take();
    }
    if (last < first) throw refuse();
    for (int byte = first; byte <= last; ++byte) bytes.set(byte);
  }
  return bytes;
}

Operation RegexReplace(const NodeAttributes& attributes) {
  attributes.ExpectInputs(1);
  if (!attributes.Text("rewrite", "").empty() ||
      !attributes.Flag("replace_global", true)) {
    throw Unimplemented("{}: characters can only be removed, all of them",
                        attributes.place());
  }
  const auto removed = ParseClass(attributes, attributes.Text("pattern", ""));
  return EachWord([removed](std::string word) {
    std::erase_if(word, [&](char byte) {
      return removed.test(static_cast<unsigned char>(byte));
    });
    return word;
  });
}

// Words of several texts, which are numbered.
struct SplitTexts {
  std::vector<std::string> words;
  std::vector<int64_t> places;  // text and position of each word
  int64_t longest = 0;

  void AddText(int64_t text, std::string_view bytes) {
    constexpr std::string_view kSpaces = " \t\n\v\f\r";
    int64_t position = 0;
    for (size_t at = bytes.find_first_not_of(kSpaces); at != bytes.npos;
         at = bytes.find_first_not_of(kSpaces, at)) {
      const size_t end =
          std::min(bytes.find_first_of(kSpaces, at), bytes.size());
      words.emplace_back(bytes.substr(at, end - at));
      places.insert(places.end(), {text, position++});
      at = end;
    }
    longest = std::max(longest, position);
  }
};

Operation StringSplit(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  if (attributes.Integer("maxsplit", -1) >= 0) {
    throw Unimplemented("{}: maxsplit is not supported", attributes.place());
  }
  Operation operation;
  operation.results = {"indices", "values", "shape"};
  operation.compute_all = [](Tensors inputs) -> std::vector<Tensor> {
    const auto separator = WordsIn(inputs[1]);
    if (separator.size() != 1 || !separator[0].empty()) {
      throw InvalidArgument(
          "texts can be split only at white space, the separator ''");
    }
    if (inputs[0].rank() != 1) {
      throw InvalidArgument("needs a list of texts, got {}",
                            Describe(inputs[0]));
    }
    SplitTexts split;
    int64_t text = 0;
    for (const std::string& bytes : WordsIn(inputs[0])) {
      split.AddText(text++, bytes);
    }
    const Shape places{std::ssize(split.words), 2};
    return {NumberList(split.places).Reshape(places), WordList(split.words),
            NumberList({text, split.longest})};
  };
  operation.most_bytes = [](Tensors inputs) {
    // Half of the bytes may be words of one letter.
    return (kWordBytes + 16) * (1 + TextBytes(inputs[0]));
  };
  return operation;
}

std::string Join(std::span<const std::string> words,
                 const std::string& separator) {
  std::string joined;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) joined += separator;
    joined += words[i];
  }
  return joined;
}

Operation StringNGrams(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  const auto widths = attributes.Integers("ngram_widths");
  const std::string separator = attributes.Text("separator", " ");
  if (attributes.Integer("pad_width", 0) != 0 ||
      attributes.Flag("preserve_short_sequences") ||
      std::ranges::any_of(widths, [](int64_t w) { return w < 1; })) {
    throw Unimplemented("{}: n-grams with padding are not supported",
                        attributes.place());
  }
  Operation operation;
  operation.results = {"ngrams", "ngrams_splits"};
  operation.compute_all = [=](Tensors inputs) -> std::vector<Tensor> {
    const auto words = WordsIn(inputs[0]);
    const auto splits = SplitsIn(inputs[1], std::ssize(words));
    std::vector<std::string> joined;
    std::vector<int64_t> ends = {0};
    for (size_t text = 1; text < splits.size(); ++text) {
      const auto of_text =
          words.subspan(static_cast<size_t>(splits[text - 1]),
                        static_cast<size_t>(splits[text] - splits[text - 1]));
      for (const int64_t width : widths) {
        const auto size = static_cast<size_t>(width);
        for (size_t i = 0; i + size <= of_text.size(); ++i) {
          joined.push_back(Join(of_text.subspan(i, size), separator));
        }
      }
      ends.push_back(std::ssize(joined));
    }
    return {WordList(joined), NumberList(ends)};
  };
  operation.most_bytes = [=](Tensors inputs) {
    const auto words = static_cast<double>(inputs[0].num_elements());
    const double text =
        TextBytes(inputs[0]) + words * static_cast<double>(separator.size());
    double bytes = 2 * BytesOf(inputs);
    for (const int64_t width : widths) {
      const double joined = std::min(static_cast<double>(width), words);
      bytes += words * kWordBytes + joined * text;
    }
    return bytes;
  };
  return operation;
}

}  // namespace

void AddWordOperations(OperationTable& table) {
  table.insert({{"StaticRegexReplace", RegexReplace},
                {"StringLower", StringLower},
                {"StringNGrams", StringNGrams},
                {"StringSplitV2", StringSplit}});
}

}  // namespace lockstep::export_internal
