#include "reference/preprocessing/transform/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
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
#include "reference/preprocessing/words/vocabulary/lines.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep {
namespace {

using preprocessing_internal::BatchMoments;
using preprocessing_internal::ColumnFacts;
using words_internal::WordCounts;

using Tensors = std::vector<Tensor>;

// What is known of one column after some batches, by its kind.
class ColumnAnalyzer {
 public:
  explicit ColumnAnalyzer(const Column& column) : column_(column) {}
  virtual ~ColumnAnalyzer() = default;

  // Errors: InvalidArgument for another type than the column's, and for batches of
  // unequal last axes.
  virtual void Add(const Tensor& x) = 0;
  // For other workers.
  virtual Tensors ToTensors() const = 0;
  // The facts from all workers' parts, the same on all workers. Errors:
  // InvalidArgument for no data, and for numbers or words that no file holds.
  virtual ColumnFacts FactsOf(const std::vector<Tensors>& parts) const = 0;

 protected:
  const Column& column() const { return column_; }
  ColumnFacts NoFacts() const { return {.column = column_}; }

  void ExpectType(const Tensor& x, bool words) const {
    if (words == (x.dtype() == DType::kString)) return;
    throw InvalidArgument("[Analyze] column '{}' needs {}, got {}",
                          column_.output, words ? "words" : "numbers",
                          Describe(x));
  }

  void CheckFinite(const std::vector<float>& numbers) const {
    if (std::ranges::all_of(numbers,
                            [](float x) { return std::isfinite(x); })) {
      return;
    }
    throw InvalidArgument(
        "[Analyze] column '{}' has numbers that are infinite, NaN or too "
        "large; "
        "filter them with Dataset::Filter",
        column_.output);
  }

  [[noreturn]] void FailWithoutData() const {
    throw InvalidArgument("[Analyze] there is no data in column '{}'",
                          column_.output);
  }

 private:
  Column column_;
};

// kZScore: means and variances.
class MomentsAnalyzer : public ColumnAnalyzer {
 public:
  using ColumnAnalyzer::ColumnAnalyzer;

  void Add(const Tensor& x) override {
    ExpectType(x, /*words=*/false);
    std::vector<int> axes;
    if (x.rank() > 1) axes.push_back(x.rank() - 1);
    const int64_t columns = axes.empty() ? 1 : x.dim(x.rank() - 1);
    if (!moments_) moments_ = BatchMoments{x.shape(), Moments(columns)};
    const bool scalar = moments_->shape.rank() < 2;
    if (columns != moments_->moments.columns() || scalar != (x.rank() < 2)) {
      throw InvalidArgument(
          "[Analyze] column '{}' needs batches of equal last axes, got shapes "
          "{} and {}",
          column().output, ToString(moments_->shape), ToString(x.shape()));
    }
    const Tensor rows = preprocessing_internal::ToColumns(x, axes);
    if (rows.dtype() == DType::kFloat32) {
      moments_->moments.Add(rows.span<float>());
    } else {
      moments_->moments.Add(rows.span<double>());
    }
  }

  Tensors ToTensors() const override {
    return preprocessing_internal::ToTensors(moments_);
  }

  ColumnFacts FactsOf(const std::vector<Tensors>& parts) const override {
    ColumnFacts facts = NoFacts();
    const auto all = preprocessing_internal::MergeMoments("Analyze", parts);
    if (!all || all->moments.count() == 0) FailWithoutData();
    const std::vector<double>& mean = all->moments.mean();
    const std::vector<double> variance = all->moments.Variance();
    facts.mean.assign(mean.begin(), mean.end());
    facts.variance.assign(variance.begin(), variance.end());
    facts.is_scalar = all->shape.rank() < 2;
    facts.count = all->moments.count();
    CheckFinite(facts.mean);
    CheckFinite(facts.variance);
    return facts;
  }

 private:
  std::optional<BatchMoments> moments_;
};

// kBins: quantiles.
class BinsAnalyzer : public ColumnAnalyzer {
 public:
  explicit BinsAnalyzer(const Column& column)
      : ColumnAnalyzer(column), quantiles_(column.epsilon) {}

  void Add(const Tensor& x) override {
    ExpectType(x, /*words=*/false);
    quantiles_.Add(x.Cast(DType::kFloat32).ToVector<float>());
  }

  Tensors ToTensors() const override {
    return preprocessing_internal::ToTensors(quantiles_);
  }

  ColumnFacts FactsOf(const std::vector<Tensors>& parts) const override {
    ColumnFacts facts = NoFacts();
    const QuantileSummary all =
        preprocessing_internal::MergeSummaries(column().epsilon, parts);
    if (all.values().empty()) FailWithoutData();
    facts.boundaries = all.Boundaries(column().num_bins);
    CheckFinite(facts.boundaries);
    return facts;
  }

 private:
  QuantileSummary quantiles_;
};

// kWordIds: counts of words.
class WordsAnalyzer : public ColumnAnalyzer {
 public:
  using ColumnAnalyzer::ColumnAnalyzer;

  void Add(const Tensor& x) override {
    ExpectType(x, /*words=*/true);
    for (const std::string& word : x.span<std::string>()) counts_.Add(word);
    counts_.EndDocument();
  }

  Tensors ToTensors() const override {
    return words_internal::ToTensors(counts_);
  }

  ColumnFacts FactsOf(const std::vector<Tensors>& parts) const override {
    ColumnFacts facts = NoFacts();
    facts.words = Choose(words_internal::MergeCounts(parts));
    if (facts.words.empty()) FailWithoutData();
    return facts;
  }

 private:
  std::vector<std::string> Choose(const WordCounts& counts) const {
    const std::vector<std::string_view> without = {"[UNK]"};
    std::vector<std::string> words;
    for (const auto& [word, count, documents] :
         counts.MostFrequent(std::numeric_limits<int64_t>::max(), without)) {
      if (!words_internal::FitsALine(word)) continue;
      CheckUtf8(word);
      words.emplace_back(word);
    }
    const int64_t limit =
        column().max_tokens.value_or(std::numeric_limits<int64_t>::max()) -
        column().num_oov_indices;
    if (std::ssize(words) > limit) words.resize(static_cast<size_t>(limit));
    return words;
  }

  void CheckUtf8(std::string_view word) const {
    if (words_internal::IsUtf8(word)) return;
    throw InvalidArgument(
        "[Analyze] column '{}' has a word that is not UTF-8, of the bytes "
        "{:02x}",
        column().output,
        fmt::join(std::vector<uint8_t>(word.begin(), word.end()), " "));
  }

  WordCounts counts_;
};

using AnalyzerPtr = std::unique_ptr<ColumnAnalyzer>;

AnalyzerPtr MakeAnalyzer(const Column& column) {
  switch (column.kind) {
    case TransformKind::kZScore:
      return std::make_unique<MomentsAnalyzer>(column);
    case TransformKind::kBins:
      return std::make_unique<BinsAnalyzer>(column);
    case TransformKind::kWordIds:
      break;
  }
  return std::make_unique<WordsAnalyzer>(column);
}

// The lists of all columns as one list, which starts with their lengths.
Tensors Join(const std::vector<AnalyzerPtr>& columns) {
  std::vector<int64_t> lengths;
  Tensors joined;
  for (const AnalyzerPtr& column : columns) {
    const Tensors list = column->ToTensors();
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

std::vector<AnalyzerPtr> Read(const Dataset& data, const Recipe& recipe) {
  CheckRecipe(recipe);
  preprocessing_internal::CheckEnds("Analyze", data);
  std::vector<AnalyzerPtr> columns;
  for (const Column& column : recipe) columns.push_back(MakeAnalyzer(column));
  for (const Structure& element : data) {
    for (size_t i = 0; i < recipe.size(); ++i) {
      columns[i]->Add(InputOf(recipe[i], element));
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
    facts.push_back(MakeAnalyzer(recipe[i])->FactsOf(of_column));
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
