#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/workloads/bert/bert.h"
#include "benchmarks/workloads/bert/bert_optimizer.h"
#include "benchmarks/workloads/bert/bert_task.h"
#include "dataset_files/manifest.h"
#include "reference/preprocessing/language/masking.h"
#include "reference/preprocessing/language/sentence_pairs.h"
#include "reference/preprocessing/language/train_word_pieces.h"
#include "reference/preprocessing/language/word_pieces.h"
#include "text_datasets/made_texts.h"
#include "text_datasets/manuals.h"

namespace lockstep::benchmarks {
namespace {

using Texts = std::vector<std::vector<std::string>>;

// What is read, and how much of it an example has.
struct Corpus {
  std::string name;
  std::string source;
  std::string description;
  Texts train;
  Texts test;  // no sentence of `train`, unless it is made
  int64_t pieces;
  int64_t length;       // tokens of an example
  int64_t predictions;  // 15 % of them
};

Corpus StoryCorpus() {
  constexpr int64_t kStories = 2400, kTestStories = 400;
  const Texts stories = MakeStories({.count = kStories});
  const auto test = stories.end() - kTestStories;
  return {.name = "stories",
          .source = "made",
          .description = "made stories",
          .train = {stories.begin(), test},
          .test = {test, stories.end()},
          .pieces = 400,
          .length = 32,
          .predictions = 5};
}

Corpus ManualCorpus() {
  DocumentData data = SplitDocuments(
      ReadManuals(DefaultDataFolder() + "/debian_12_manuals/unpacked"),
      {.test_share = 0.1});
  return {.name = "manuals",
          .source = "full",
          .description = "manuals of Debian 12",
          .train = std::move(data.train),
          .test = std::move(data.test),
          .pieces = 4000,
          .length = 64,
          .predictions = 10};
}

WordPieces PiecesOf(const Corpus& corpus) {
  WordPieceTrainer trainer;
  for (const auto& text : corpus.train) {
    for (const std::string& sentence : text) trainer.Add(sentence);
  }
  return WordPieces(trainer.Train({.size = corpus.pieces}));
}

std::shared_ptr<const SentencePairs> PairsOf(const Texts& texts,
                                             const WordPieces& pieces,
                                             int64_t length) {
  std::vector<Document> documents;
  for (const auto& text : texts) {
    Document& document = documents.emplace_back();
    for (const std::string& sentence : text) {
      document.push_back(pieces.Encode(sentence));
    }
  }
  return std::make_shared<SentencePairs>(std::move(documents),
                                         SentencePairOptions{.length = length});
}

// The examples of an epoch.
Dataset ExamplesOf(const std::shared_ptr<const SentencePairs>& pairs,
                   int64_t length, const MaskingOptions& masking, int epoch) {
  return Dataset::Range(pairs->size()).Map([=](const Structure& number) {
    return PretrainingExample(*pairs, number.leaf().item<int64_t>(), epoch,
                              length, masking);
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

WorkloadData DataOf(const Corpus& corpus, const WordPieces& pieces,
                    uint64_t seed) {
  const int64_t length = corpus.length;
  const auto training = PairsOf(corpus.train, pieces, length);
  const auto testing = PairsOf(corpus.test, pieces, length);
  const MaskingOptions masking{.vocabulary = pieces.size(),
                               .most_predictions = corpus.predictions,
                               .seed = seed};
  const auto of_epoch = [=](int epoch) {
    return ExamplesOf(training, length, masking, epoch);
  };
  return {.name = corpus.name,
          .source = corpus.source,
          .description =
              fmt::format("{} ({} + {} pairs of segments)", corpus.description,
                          training->size(), testing->size()),
          .train = of_epoch(0),
          .test = ExamplesOf(testing, length, masking, 0),
          .train_of_epoch = of_epoch,
          .train_size = training->size(),
          .test_size = testing->size(),
          .item = "sequence",
          .tokens_per_example = TokensOf(*training)};
}

}  // namespace

Workload BertFor(const WorkloadOptions& options) {
  const Corpus corpus = options.data == "full" ? ManualCorpus() : StoryCorpus();
  const WordPieces pieces = PiecesOf(corpus);
  const BertModel model{.vocabulary = pieces.size(),
                        .hidden = 128,
                        .inner = 512,
                        .length = corpus.length};
  return {.name = "bert",
          .description = "BERT, 2 layers of 128",
          .details = {{"vocabulary", model.vocabulary}},
          .data = DataOf(corpus, pieces, options.seed),
          .batch_per_replica = options.BatchOr(32),
          .warmup_steps = 10,
          .steps_per_block = 10,
          .optimizer = "adamw",
          .make_task = [model] { return MakeBertTask(model); },
          .make_optimizer =
              [](const TrainingPlan&) {
                return MakeBertOptimizer(
                    {.rate = 0.001, .warmup_steps = 100, .steps = 10000});
              }};
}

}  // namespace lockstep::benchmarks
