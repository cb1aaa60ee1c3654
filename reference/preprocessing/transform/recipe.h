// How the columns of a dataset are transformed by what an analysis of all data
// has found.
//
//   const Recipe recipe = {ZScore("age"), Bins("height", 4), WordIds("color")};
//
// An element of the dataset is a dictionary with tensors under these keys. The
// tensors have a batch axis, or are scalars of one example.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_RECIPE_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_RECIPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/nest.h"

namespace lockstep {

enum class TransformKind {
  kZScore,   // (x - mean) / deviation, float32; each last index has its own
             // moments, a vector of numbers has one mean
  kBins,     // the number of the interval, int32, all with equally many numbers
  kWordIds,  // the number of the word, int64, by frequency
};

// "z_score", "bins", "word_ids".
std::string_view TransformKindName(TransformKind kind);
// Errors: InvalidArgument for other names.
TransformKind ParseTransformKind(std::string_view name);

struct Column {
  TransformKind kind = TransformKind::kZScore;
  // The key of a dictionary, or a position in a tuple: "0". Empty: the element
  // is a tensor.
  std::string input;
  std::string output = input;  // the key of the result; each once
  int64_t num_bins = 4;        // kBins
  double epsilon = 0.01;  // kBins: quantiles are read from 1 / epsilon values
  std::optional<int64_t> max_tokens = std::nullopt;  // kWordIds: the most ids
  int64_t num_oov_indices = 1;  // kWordIds: ids for words that are not known
};

using Recipe = std::vector<Column>;

inline Column ZScore(std::string input) {
  return {.kind = TransformKind::kZScore, .input = std::move(input)};
}
inline Column Bins(std::string input, int64_t num_bins) {
  return {.kind = TransformKind::kBins,
          .input = std::move(input),
          .num_bins = num_bins};
}
inline Column WordIds(std::string input,
                      std::optional<int64_t> max_tokens = std::nullopt) {
  return {.kind = TransformKind::kWordIds,
          .input = std::move(input),
          .max_tokens = max_tokens};
}

// Errors: InvalidArgument for no columns, an output that is there twice, no
// bins, an epsilon outside (0, 1], and limits that leave no word.
void CheckRecipe(const Recipe& recipe);

// The part of an element that is a column's input. Errors: InvalidArgument if
// there is none.
template <typename Leaf>
const Leaf& InputOf(const Column& column, const Nest<Leaf>& element) {
  const auto fail = [&]() -> const Leaf& {
    throw InvalidArgument(
        "[Transform] column '{}' needs the input '{}', which elements do not "
        "have; name a key of their dictionary, or a position in their tuple",
        column.output, column.input);
  };
  if (element.is_leaf()) return column.input.empty() ? element.leaf() : fail();
  for (size_t i = 0; i < element.size(); ++i) {
    const bool dictionary = element.kind() == NestKind::kDict;
    const std::string name = dictionary ? element.keys()[i] : std::to_string(i);
    if (name != column.input) continue;
    return element[i].is_leaf() ? element[i].leaf() : fail();
  }
  return fail();
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_RECIPE_H_
