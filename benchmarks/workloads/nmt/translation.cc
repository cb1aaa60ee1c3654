#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/workloads/nmt/nmt.h"
#include "benchmarks/workloads/nmt/nmt_task.h"
#include "dataset_files/manifest.h"
#include "reference/optimizers/update_rules.h"
#include "reference/preprocessing/language/split_words.h"
#include "reference/preprocessing/language/word_pieces.h"
#include "text_datasets/made_texts.h"
#include "text_datasets/translation_pairs.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kPairs = 4000;
using Sentences = std::vector<std::string>;

// The words of one language that a training text has twice, each as a piece.
WordPieces WordsOf(const Sentences& training) {
  std::map<std::string, int64_t> counts;
  for (const std::string& sentence : training) {
    for (const std::string& word : SplitWords(sentence)) ++counts[word];
  }
  std::vector<std::string> pieces = {"[PAD]", "[BEGIN]", "[END]", "[UNK]"};
  for (const auto& [word, count] : counts) {
    if (count > 1) pieces.push_back(word);
  }
  return WordPieces(pieces);
}

// int64 [sentences, longest], with begin and end, filled with 0.
Tensor Padded(const Sentences& sentences, const WordPieces& words) {
  std::vector<std::vector<int64_t>> rows;
  size_t longest = 0;
  for (const std::string& sentence : sentences) {
    std::vector<int64_t>& row = rows.emplace_back(1, kBeginWord);
    const std::vector<int64_t> numbers = words.Encode(sentence);
    row.insert(row.end(), numbers.begin(), numbers.end());
    row.push_back(kEndWord);
    longest = std::max(longest, row.size());
  }
  std::vector<int64_t> all(rows.size() * longest, 0);
  for (size_t row = 0; row < rows.size(); ++row) {
    std::ranges::copy(rows[row], all.begin() + row * longest);
  }
  return Tensor::FromVector(all, Shape{static_cast<int64_t>(rows.size()),
                                       static_cast<int64_t>(longest)});
}

Sentences SideOf(const std::vector<TranslationPair>& pairs,
                 std::string TranslationPair::*side) {
  Sentences sentences;
  for (const TranslationPair& pair : pairs) sentences.push_back(pair.*side);
  return sentences;
}

TranslationData ChoosePairs(const WorkloadOptions& options) {
  if (options.data != "full") return MakeTranslationData(kPairs);
  const std::string folder =
      DefaultDataFolder() + "/debian_12_messages/unpacked";
  TranslationData data = SplitPairs(ReadCatalogPairs(folder, "de"));
  data.description = "messages of Debian 12, English to German";
  return data;
}

// The mean number of words to predict: all but the first of each target.
double TokensOf(const Sentences& targets) {
  int64_t tokens = 0;
  for (const std::string& target : targets) {
    tokens += static_cast<int64_t>(SplitWords(target).size()) + 1;
  }
  return static_cast<double>(tokens) / static_cast<double>(targets.size());
}

}  // namespace

Workload NmtFor(const WorkloadOptions& options) {
  const TranslationData pairs = ChoosePairs(options);
  const Sentences sources = SideOf(pairs.train, &TranslationPair::source);
  const Sentences targets = SideOf(pairs.train, &TranslationPair::target);
  const WordPieces source_words = WordsOf(sources);
  const WordPieces target_words = WordsOf(targets);
  const NmtModel model{.source = source_words.size(),
                       .target = target_words.size(),
                       .embedding = 64,
                       .units = 128};
  const auto examples = [&](const Sentences& from, const Sentences& to) {
    return Dataset::FromTensorSlices(
        {Padded(from, source_words), Padded(to, target_words)});
  };
  return {
      .name = "nmt",
      .description = "GRUs of 128 units with attention",
      .details = {{"source_words", model.source},
                  {"target_words", model.target}},
      .data = {.name = "translations",
               .source = options.data == "full" ? "full" : "made",
               .description = pairs.description,
               .train = examples(sources, targets),
               .test = examples(SideOf(pairs.test, &TranslationPair::source),
                                SideOf(pairs.test, &TranslationPair::target)),
               .train_size = static_cast<int64_t>(pairs.train.size()),
               .test_size = static_cast<int64_t>(pairs.test.size()),
               .item = "pair",
               .tokens_per_example = TokensOf(targets)},
      .batch_per_replica = options.BatchOr(64),
      .test_batch = 64,
      .warmup_steps = 10,
      .steps_per_block = 10,
      .optimizer = "adam",
      .make_task = [model] { return MakeNmtTask(model); },
      .make_optimizer =
          [](const TrainingPlan&) { return std::make_unique<Adam>(); }};
}

}  // namespace lockstep::benchmarks
