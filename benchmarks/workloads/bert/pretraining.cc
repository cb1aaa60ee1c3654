#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/workloads/bert/bert.h"
#include "benchmarks/workloads/bert/bert_optimizer.h"
#include "benchmarks/workloads/bert/bert_task.h"
#include "reference/preprocessing/language/masking.h"
#include "reference/preprocessing/language/sentence_pairs.h"
#include "reference/preprocessing/language/train_word_pieces.h"
#include "reference/preprocessing/language/word_pieces.h"
#include "text_datasets/made_texts.h"

namespace lockstep::benchmarks {
namespace {

using Stories = std::vector<std::vector<std::string>>;

constexpr int64_t kStories = 2400, kTestStories = 400;
constexpr int64_t kLength = 32;
constexpr int64_t kPredictions = 5;  // 15 % of 32 tokens

WordPieces PiecesOf(const Stories& stories) {
  WordPieceTrainer trainer;
  for (const auto& story : stories) {
    for (const std::string& sentence : story) trainer.Add(sentence);
  }
  return WordPieces(trainer.Train({.size = 400}));
}

std::shared_ptr<const SentencePairs> PairsOf(const Stories& stories,
                                             const WordPieces& pieces) {
  std::vector<Document> documents;
  for (const auto& story : stories) {
    Document& document = documents.emplace_back();
    for (const std::string& sentence : story) {
      document.push_back(pieces.Encode(sentence));
    }
  }
  return std::make_shared<SentencePairs>(
      std::move(documents), SentencePairOptions{.length = kLength});
}

// The examples of an epoch.
Dataset ExamplesOf(const std::shared_ptr<const SentencePairs>& pairs,
                   const MaskingOptions& masking, int epoch) {
  return Dataset::Range(pairs->size()).Map([=](const Structure& number) {
    return PretrainingExample(*pairs, number.leaf().item<int64_t>(), epoch,
                              kLength, masking);
  });
}

// The mean number of tokens of an example, without padding.
double TokensOf(const SentencePairs& pairs) {
  int64_t tokens = 0;
  for (int64_t i = 0; i < pairs.size(); ++i) {
    tokens += static_cast<int64_t>(pairs.Get(i).tokens.size());
  }
  return static_cast<double>(tokens) / static_cast<double>(pairs.size());
}

WorkloadData DataOf(const Stories& stories, const WordPieces& pieces,
                    uint64_t seed) {
  const auto test = stories.end() - kTestStories;
  const auto training = PairsOf({stories.begin(), test}, pieces);
  const auto testing = PairsOf({test, stories.end()}, pieces);
  const MaskingOptions masking{.vocabulary = pieces.size(),
                               .most_predictions = kPredictions,
                               .seed = seed};
  const auto of_epoch = [=](int epoch) {
    return ExamplesOf(training, masking, epoch);
  };
  return {.name = "stories",
          .source = "made",
          .description = fmt::format("made stories ({} + {} pairs of segments)",
                                     training->size(), testing->size()),
          .train = of_epoch(0),
          .test = ExamplesOf(testing, masking, 0),
          .train_of_epoch = of_epoch,
          .train_size = training->size(),
          .test_size = testing->size(),
          .item = "sequence",
          .tokens_per_example = TokensOf(*training)};
}

}  // namespace

Workload BertFor(const WorkloadOptions& options) {
  const Stories stories = MakeStories({.count = kStories});
  const WordPieces pieces = PiecesOf(stories);
  const BertModel model{.vocabulary = pieces.size(),
                        .hidden = 128,
                        .inner = 512,
                        .length = kLength};
  return {.name = "bert",
          .description = "BERT, 2 layers of 128",
          .details = {{"vocabulary", model.vocabulary}},
          .data = DataOf(stories, pieces, options.seed),
          .batch_per_replica = options.BatchOr(32),
          .warmup_steps = 10,
          .steps_per_block = 10,
          .optimizer = "adamw",
          .make_task = [model] { return MakeBertTask(model); },
          .make_optimizer =
              [](int64_t) {
                return MakeBertOptimizer(
                    {.rate = 0.001, .warmup_steps = 100, .steps = 10000});
              }};
}

}  // namespace lockstep::benchmarks
