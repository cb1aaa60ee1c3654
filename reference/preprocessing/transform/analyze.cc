#include "reference/preprocessing/transform/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"
#include "reference/device/device.h"
#include "reference/preprocessing/adaptation.h"
#include "reference/preprocessing/numeric/batch_moments.h"
#include "reference/preprocessing/numeric/columns.h"
#include "reference/preprocessing/numeric/quantile_parts.h"
#include "reference/preprocessing/transform/transform_facts.h"
#include "reference/preprocessing/words/counted_parts.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep {
namespace {

using preprocessing_internal::BatchMoments;
using preprocessing_internal::ColumnFacts;
using words_internal::WordCounts;

using Tensors = std::vector<Tensor>;

// What is known of one column after some batches.
class ColumnAnalyzer {
 public:
  explicit ColumnAnalyzer(const Column& column)
      : column_(column), quantiles_(column.epsilon) {}

  void Add(const Tensor& x) {
    CheckType(x);
    switch (column_.kind) {
      case TransformKind::kZScore:
        return AddMoments(x);
      case TransformKind::kBins:
        return quantiles_.Add(x.Cast(DType::kFloat32).ToVector<float>());
      case TransformKind::kWordIds:
        for (const std::string& word : x.span<std::string>()) counts_.Add(word);
        counts_.EndDocument();
    }
  }

  // For other workers.
  Tensors ToTensors() const {
    switch (column_.kind) {
      case TransformKind::kZScore:
        return preprocessing_internal::ToTensors(moments_);
      case TransformKind::kBins:
        return preprocessing_internal::ToTensors(quantiles_);
      default:
        return words_internal::ToTensors(counts_);
    }
  }

 private:
  void CheckType(const Tensor& x) const {
    const bool words = column_.kind == TransformKind::kWordIds;
    if (words == (x.dtype() == DType::kString)) return;
    throw InvalidArgument("[Analyze] column '{}' needs {}, got {}",
                          column_.output, words ? "words" : "numbers",
                          Describe(x));
  }

  void AddMoments(const Tensor& x) {
    std::vector<int> axes;
    if (x.rank() > 1) axes.push_back(x.rank() - 1);
    const int64_t columns = axes.empty() ? 1 : x.dim(x.rank() - 1);
    if (!moments_) moments_ = BatchMoments{x.shape(), Moments(columns)};
    const bool scalar = moments_->shape.rank() < 2;
    if (columns != moments_->moments.columns() || scalar != (x.rank() < 2)) {
      throw InvalidArgument(
          "[Analyze] column '{}' needs batches of equal last axes, got shapes "
          "{} and {}",
          column_.output, ToString(moments_->shape), ToString(x.shape()));
    }
    const Tensor rows = preprocessing_internal::ToColumns(x, axes);
    if (rows.dtype() == DType::kFloat32) {
      moments_->moments.Add(rows.span<float>());
    } else {
      moments_->moments.Add(rows.span<double>());
    }
  }

  Column column_;
  std::optional<BatchMoments> moments_;
  QuantileSummary quantiles_;
  WordCounts counts_;
};

void CheckFinite(const Column& column, const std::vector<float>& numbers) {
  if (std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); })) {
    return;
  }
  throw InvalidArgument(
      "[Analyze] column '{}' has numbers that are infinite, NaN or too large; "
      "filter them with Dataset::Filter",
      column.output);
}

[[noreturn]] void FailWithoutData(const Column& column) {
  throw InvalidArgument("[Analyze] there is no data in column '{}'",
                        column.output);
}

bool FitsALine(std::string_view word) {
  return !word.empty() && word.find_first_of("\r\n") == word.npos;
}

std::vector<std::string> ChooseWords(const Column& column,
                                     const WordCounts& counts) {
  const std::vector<std::string_view> without = {"[UNK]"};
  std::vector<std::string> words;
  for (const auto& [word, count, documents] :
       counts.MostFrequent(std::numeric_limits<int64_t>::max(), without)) {
    if (!FitsALine(word)) continue;
    if (!words_internal::IsUtf8(word)) {
      throw InvalidArgument(
          "[Analyze] column '{}' has a word that is not UTF-8, of the bytes "
          "{:02x}",
          column.output,
          fmt::join(std::vector<uint8_t>(word.begin(), word.end()), " "));
    }
    words.emplace_back(word);
  }
  const int64_t limit =
      column.max_tokens.value_or(std::numeric_limits<int64_t>::max()) -
      column.num_oov_indices;
  if (std::ssize(words) > limit) words.resize(static_cast<size_t>(limit));
  return words;
}

// The facts of a column from all workers' parts, the same on all workers.
ColumnFacts FactsOf(const Column& column, const std::vector<Tensors>& parts) {
  ColumnFacts facts{.column = column};
  if (column.kind == TransformKind::kZScore) {
    const auto all = preprocessing_internal::MergeMoments("Analyze", parts);
    if (!all || all->moments.count() == 0) FailWithoutData(column);
    const std::vector<double>& mean = all->moments.mean();
    const std::vector<double> variance = all->moments.Variance();
    facts.mean.assign(mean.begin(), mean.end());
    facts.variance.assign(variance.begin(), variance.end());
    facts.is_scalar = all->shape.rank() < 2;
    facts.count = all->moments.count();
    CheckFinite(column, facts.mean);
    CheckFinite(column, facts.variance);
  } else if (column.kind == TransformKind::kBins) {
    const QuantileSummary all =
        preprocessing_internal::MergeSummaries(column.epsilon, parts);
    if (all.values().empty()) FailWithoutData(column);
    facts.boundaries = all.Boundaries(column.num_bins);
    CheckFinite(column, facts.boundaries);
  } else {
    facts.words = ChooseWords(column, words_internal::MergeCounts(parts));
    if (facts.words.empty()) FailWithoutData(column);
  }
  return facts;
}

// The lists of all columns as one list, which starts with their lengths.
Tensors Join(const std::vector<ColumnAnalyzer>& columns) {
  std::vector<int64_t> lengths;
  Tensors joined;
  for (const ColumnAnalyzer& column : columns) {
    const Tensors list = column.ToTensors();
    lengths.push_back(std::ssize(list));
    joined.insert(joined.end(), list.begin(), list.end());
  }
  joined.insert(
      joined.begin(),
      Tensor::FromVector(lengths, Shape{std::ssize(lengths)}, Device::Host()));
  return joined;
}

// The list of a column in such a list.
Tensors Part(const Tensors& joined, size_t column) {
  const std::vector<int64_t> lengths = joined.at(0).ToVector<int64_t>();
  auto begin = joined.begin() + 1;
  for (size_t i = 0; i < column; ++i) begin += lengths.at(i);
  return {begin, begin + lengths.at(column)};
}

std::vector<ColumnAnalyzer> Read(const Dataset& data, const Recipe& recipe) {
  CheckRecipe(recipe);
  preprocessing_internal::CheckEnds("Analyze", data);
  std::vector<ColumnAnalyzer> columns(recipe.begin(), recipe.end());
  for (const Structure& element : data) {
    for (size_t i = 0; i < recipe.size(); ++i) {
      columns[i].Add(InputOf(recipe[i], element));
    }
  }
  return columns;
}

// What all workers must have in common.
std::string Summarize(const Recipe& recipe) {
  std::string text;
  for (const Column& column : recipe) {
    text += fmt::format("{} {} '{}' of '{}'", text.empty() ? "" : ",",
                        TransformKindName(column.kind), column.output,
                        column.input);
  }
  return text;
}

}  // namespace

void Analyze(const Dataset& data, const Recipe& recipe,
             const std::string& folder) {
  const std::string summary = Summarize(recipe);
  const auto parts = preprocessing_internal::ReadParts(
      {"Analyze", summary}, data,
      [&](const Dataset& part) { return Join(Read(part, recipe)); });
  std::vector<ColumnFacts> facts;
  for (size_t i = 0; i < recipe.size(); ++i) {
    std::vector<Tensors> of_column;
    for (const Tensors& joined : parts) of_column.push_back(Part(joined, i));
    facts.push_back(FactsOf(recipe[i], of_column));
  }
  // All wait until it is written.
  DistributionContext& context = DistributionContext::Current();
  context.GatherFromWorkers("WriteTransform", [&] {
    if (context.worker() == 0)
      preprocessing_internal::WriteFacts(facts, folder);
    return Tensors();
  });
}

}  // namespace lockstep
