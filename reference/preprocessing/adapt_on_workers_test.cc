// Layers that several workers adapt together, in the scope of their strategy.
// They have names, since these workers are threads, which share the counts of
// default names.
// The data of the first tests are those with which TensorFlow 2.21 gives each
// worker another state, and no error.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"
#include "reference/preprocessing/numeric/discretization.h"
#include "reference/preprocessing/numeric/normalization.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/preprocessing/words/text_vectorization.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;
using Floats = std::vector<float>;

Dataset Off(const Dataset& dataset) {
  DatasetOptions options;
  options.auto_shard_policy = AutoShardPolicy::kOff;
  return dataset.WithOptions(options);
}

Dataset Batches(const Words& words, int64_t size = 2) {
  return Dataset::FromTensorSlices(Tensor::FromVector(words)).Batch(size);
}

// Each number is a batch of one row.
Dataset Rows(const Floats& numbers) {
  return Dataset::FromTensorSlices(Tensor::FromVector(numbers))
      .Batch(1)
      .Batch(1);
}

// Calls `body` in the scope, on each worker.
void InScope(int workers, const WorkerBody& body) {
  RunWorkers(std::vector<int>(static_cast<size_t>(workers), 1),
             [&](MultiWorkerMirroredStrategy& strategy) {
               const StrategyScope scope = strategy.Scope();
               body(strategy);
             });
}

TEST(AdaptOnWorkersTest, WordsOfAllWorkersCount) {
  InScope(2, [](Strategy& strategy) {
    const Words own = WorkerOf(strategy) == 0 ? Words{"a", "a", "b"}
                                              : Words{"c", "c", "c", "b"};
    const StringLookup lookup({.name = "words"});
    lookup.Adapt(Off(Batches(own)));
    EXPECT_EQ(lookup.GetVocabulary(), (Words{"[UNK]", "c", "b", "a"}));
  });
}

TEST(AdaptOnWorkersTest, MomentsOfAllWorkers) {
  InScope(2, [](Strategy& strategy) {
    const Floats own =
        WorkerOf(strategy) == 0 ? Floats{1, 2, 3} : Floats{10, 20};
    const Normalization layer({.name = "numbers"});
    layer.Adapt(Off(Rows(own)));
    // 36 / 5, and 514 / 5 - 7.2 * 7.2.
    EXPECT_FLOAT_EQ(layer.variables()[0]->Read().ToVector<float>()[0], 7.2f);
    EXPECT_FLOAT_EQ(layer.variables()[1]->Read().ToVector<float>()[0], 50.96f);
    EXPECT_EQ(layer.variables()[2]->Read().item<int64_t>(), 5);
  });
}

TEST(AdaptOnWorkersTest, QuantilesOfAllWorkers) {
  InScope(2, [](Strategy& strategy) {
    const Floats own = WorkerOf(strategy) == 0 ? Floats{4, 1} : Floats{3, 2};
    const Discretization bins({.num_bins = 2, .name = "bins"});
    bins.Adapt(Off(Rows(own)));
    EXPECT_EQ(bins.boundaries(), Floats{2});
  });
}

TEST(AdaptOnWorkersTest, TextsOfAllWorkers) {
  InScope(3, [](Strategy&) {
    const TextVectorization layer({.name = "texts"});
    layer.Adapt(Batches({"the cat", "the dog", "a cat", "the end"}, 1));
    EXPECT_EQ(layer.GetVocabulary(),
              (Words{"", "[UNK]", "the", "cat", "end", "dog", "a"}));
  });
}

// Also more workers than elements, and a shuffle without a seed.
TEST(AdaptOnWorkersTest, OneDatasetIsReadOnceByAll) {
  for (const int workers : {2, 3, 5}) {
    InScope(workers, [](Strategy&) {
      const Normalization layer({.name = "numbers"});
      layer.Adapt(Rows({1, 2, 3, 6}).Shuffle(4));
      EXPECT_EQ(layer.variables()[0]->Read().ToVector<float>(), Floats{3});
      EXPECT_EQ(layer.variables()[1]->Read().ToVector<float>(), Floats{3.5});
      EXPECT_EQ(layer.variables()[2]->Read().item<int64_t>(), 4);
    });
  }
}

TEST(AdaptOnWorkersTest, IntegersAndNewDataReplaceTheState) {
  InScope(2, [](Strategy&) {
    const IntegerLookup lookup({.name = "integers"});
    for (const int64_t number : {7, -3}) {
      const auto numbers = Tensor::FromVector<int64_t>({number, number, 5});
      lookup.Adapt(Dataset::FromTensorSlices(numbers).Batch(1));
      EXPECT_EQ(lookup.GetVocabulary(), (std::vector<int64_t>{-1, number, 5}));
    }
  });
}

TEST(AdaptOnWorkersTest, AnErrorOfOneReachesAll) {
  InScope(2, [](Strategy& strategy) {
    const bool broken = WorkerOf(strategy) == 1;
    const Dataset numbers =
        Dataset::Range(2).Batch(1).Map([&](const Structure& x) -> Structure {
          if (broken) throw DataLoss("[Test] {}", "broken");
          return x.leaf().Cast(DType::kFloat32).Reshape({1, 1});
        });
    const Normalization layer({.name = "numbers"});
    ExpectError([&] { layer.Adapt(Off(numbers)); }, Code::kDataLoss, "broken");
    EXPECT_FALSE(layer.built());
    // No worker was left waiting.
    layer.Adapt(Rows({1, 2, 3, 6}));
    EXPECT_EQ(layer.variables()[0]->Read().ToVector<float>(), Floats{3});
  });
}

TEST(AdaptOnWorkersTest, WorkersThatDivideDataMustHaveTheSame) {
  InScope(2, [](Strategy& strategy) {
    const int64_t count = 4 + WorkerOf(strategy);
    const Discretization bins({.num_bins = 2, .name = "bins"});
    ExpectError([&] { bins.Adapt(Dataset::Range(count).Batch(1)); },
                Code::kFailedPrecondition, "worker 1 has DATA of Batch[5]");
  });
}

TEST(AdaptOnWorkersTest, OneLayerAtATime) {
  InScope(2, [](Strategy& strategy) {
    const bool first = WorkerOf(strategy) == 0;
    const StringLookup lookup({.name = first ? "a" : "b"});
    ExpectError(
        [&] {
          lookup.Adapt(Batches({"x", "y"}));
        },
        Code::kFailedPrecondition,
        "worker 0 calls Adapt of 'a'(0), worker 1 calls Adapt of 'b'");
  });
}

TEST(AdaptOnWorkersTest, ColumnsMustBeTheSame) {
  InScope(2, [](Strategy& strategy) {
    const int64_t columns = 2 + WorkerOf(strategy);
    const Normalization layer({.name = "numbers"});
    ExpectError(
        [&] {
          layer.Adapt(Off(Dataset::FromTensors(Tensor::Zeros({2, columns}))));
        },
        Code::kInvalidArgument, "2 columns, worker 1 of 3");
  });
}

TEST(AdaptOnWorkersTest, ATensorMustBeTheSame) {
  InScope(2, [](Strategy& strategy) {
    const StringLookup lookup({.name = "words"});
    lookup.Adapt(Tensor::FromVector(Words{"a", "b", "b"}));
    EXPECT_EQ(lookup.GetVocabulary(), (Words{"[UNK]", "b", "a"}));
    const std::string own = WorkerOf(strategy) == 0 ? "x" : "y";
    ExpectError([&] { lookup.Adapt(Tensor::FromVector(Words{own})); },
                Code::kFailedPrecondition, "worker 1 differs from that of");
    EXPECT_EQ(lookup.VocabularySize(), 3);
  });
}

TEST(AdaptOnWorkersTest, NoDataAnywhereIsAnErrorOnAll) {
  InScope(2, [](Strategy&) {
    const Normalization layer({.name = "numbers"});
    ExpectError([&] { layer.Adapt(Rows({1}).Take(0)); }, Code::kInvalidArgument,
                "there is no data");
    const Discretization bins({.num_bins = 2, .name = "bins"});
    ExpectError([&] { bins.Adapt(Rows({1}).Take(0)); }, Code::kInvalidArgument,
                "there is no data");
  });
}

// Adapts outside the scope, each worker on its own data, and runs.
void ExpectRefused(const std::function<Layer(int worker)>& adapt,
                   const Tensor& input, const std::string& difference) {
  const auto run = [&](Strategy& strategy) {
    const Layer layer = adapt(WorkerOf(strategy));
    ExpectError([&] { strategy.Run([&] { return layer(input); }); },
                Code::kFailedPrecondition, difference);
  };
  RethrowAny(WorkersErrors({2, 1}, run));
}

TEST(AdaptOnWorkersTest, DifferentVocabulariesAreRefusedInRun) {
  ExpectRefused(
      [](int worker) {
        const StringLookup lookup({.name = "words"});
        lookup.Adapt(worker == 0 ? Batches({"a", "a", "b"})
                                 : Batches({"c", "c", "c", "b"}));
        return Layer(lookup);
      },
      Tensor::FromVector(Words{"b"}),
      "layer 'words' must have the same state on all workers: entry 0 is "
      "\"word 0 is 'a'\" on worker 0, \"word 0 is 'c'\" on worker 1");
}

TEST(AdaptOnWorkersTest, DifferentMomentsAreRefusedInRun) {
  ExpectRefused(
      [](int worker) {
        const Normalization layer({.name = "numbers"});
        layer.Adapt(worker == 0 ? Rows({1, 2, 3}) : Rows({10, 20}));
        return Layer(layer);
      },
      Tensor::Zeros({1, 1}),
      "\"mean 0 is 2\" on worker 0, \"mean 0 is 15\" on worker 1");
}

TEST(AdaptOnWorkersTest, BoundariesOnOneWorkerOnlyAreRefusedInRun) {
  ExpectRefused(
      [](int worker) {
        const Discretization bins({.num_bins = 2, .name = "bins"});
        if (worker == 0) bins.Adapt(Rows({1, 2, 3, 4}));
        return Layer(bins);
      },
      Tensor::Zeros({1, 1}),
      "\"boundary 0 is 2\" on worker 0, \"no boundaries\" on worker 1");
}

TEST(AdaptOnWorkersTest, EqualStatesRunAndAreUsed) {
  RunWorkers({2, 1}, [](Strategy& strategy) {
    const StringLookup lookup({.name = "words"});
    lookup.Adapt(Batches({"a", "a", "b"}));  // outside the scope
    for (int step = 0; step < 3; ++step) {
      const PerReplica<Tensor> ids = strategy.Run([&] {
        return lookup(Tensor::FromVector(Words{"b", "z"}));
      });
      for (const Tensor& own : strategy.LocalResults(ids)) {
        EXPECT_EQ(own.ToVector<int64_t>(), (std::vector<int64_t>{2, 0}));
      }
    }
  });
}

}  // namespace
}  // namespace lockstep
