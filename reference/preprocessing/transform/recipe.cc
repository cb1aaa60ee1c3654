#include "reference/preprocessing/transform/recipe.h"

#include <array>
#include <set>

namespace lockstep {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"z_score", "bins",
                                                    "word_ids"};

}  // namespace

std::string_view TransformKindName(TransformKind kind) {
  return kNames.at(static_cast<size_t>(kind));
}

TransformKind ParseTransformKind(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<TransformKind>(i);
  }
  throw InvalidArgument(
      "[Transform] wanted z_score, bins or word_ids, got '{}'", name);
}

void CheckRecipe(const Recipe& recipe) {
  if (recipe.empty()) {
    throw InvalidArgument("[Transform] a recipe needs columns, got none");
  }
  std::set<std::string> outputs;
  for (const Column& column : recipe) {
    if (!outputs.insert(column.output).second) {
      throw InvalidArgument("[Transform] two columns are called '{}'",
                            column.output);
    }
    if (column.num_bins < 1 || !(column.epsilon > 0 && column.epsilon <= 1)) {
      throw InvalidArgument(
          "[Transform] column '{}' needs at least 1 bin and an epsilon in (0, "
          "1], got {} and {}",
          column.output, column.num_bins, column.epsilon);
    }
    if (column.num_oov_indices < 0 ||
        column.max_tokens.value_or(column.num_oov_indices + 1) <=
            column.num_oov_indices) {
      throw InvalidArgument(
          "[Transform] column '{}' needs ids for words and {} for "
          "unknown ones, got max_tokens {}",
          column.output, column.num_oov_indices, column.max_tokens.value_or(0));
    }
  }
}

}  // namespace lockstep
