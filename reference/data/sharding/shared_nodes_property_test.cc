// A node that a pipeline reaches by two paths is read by both: distributed over
// 1 to 16 replicas and several workers, every example comes exactly as often as
// without.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/data/sharding/auto_shard_testing.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;

// What is shared, and how it is reached twice.
struct SharedNode {
  bool shuffled = *rc::gen::arbitrary<bool>();
  bool cached = *rc::gen::arbitrary<bool>();
  bool repeated = *rc::gen::arbitrary<bool>();
  int64_t read_ahead = *rc::gen::inRange<int64_t>(0, 3);
  int way = *rc::gen::inRange(0, 5);
  bool stop_on_empty = *rc::gen::arbitrary<bool>();
  int64_t batch = *rc::gen::inRange<int64_t>(1, 20);

  // Whether two readers at the same time draw orders for their second passes,
  // each on a thread of its own: then either may get the first of them, and pairs
  // or what is left out at the end differ from one reading to the next, also
  // without a distribution.
  bool OrdersDependOnTime() const {
    const bool at_once = way == 0 || way >= 3;
    return at_once && shuffled && repeated && read_ahead > 0;
  }

  Dataset Shared(Dataset x) const {
    if (cached) x = x.Cache();
    if (shuffled) x = x.Shuffle(5, /*seed=*/3);
    if (repeated) x = x.Repeat(2);
    if (read_ahead > 0 && !OrdersDependOnTime()) x = x.Prefetch(read_ahead);
    return x;
  }

  // Each worker makes a pipeline of its own.
  Dataset Batches(const Dataset& numbers) const {
    const Dataset x = Shared(numbers);
    return Twice(x).Batch(batch);
  }

  Dataset Twice(const Dataset& x) const {
    switch (way) {
      case 0:
        return Dataset::Zip({x, x}).Map([](const Structure& pair) -> Structure {
          return Tensor::Scalar<int64_t>(1000 * pair[0].leaf().item<int64_t>() +
                                         pair[1].leaf().item<int64_t>());
        });
      case 1:
        return x.Concatenate(x);
      case 2:
        return x.Skip(3).Concatenate(x.Take(4));
      case 3:
        return Dataset::ChooseFromDatasets({x, x}, Dataset::Range(2).Repeat(40),
                                           stop_on_empty);
      default:
        return Dataset::SampleFromDatasets(
            {x, x}, {.seed = 5, .stop_on_empty = stop_on_empty});
    }
  }
};

struct Readers {
  int64_t workers = *rc::gen::inRange<int64_t>(1, 5);
  int64_t replicas_each = *rc::gen::inRange<int64_t>(1, 5);

  // The numbers of all parts of all workers, sorted.
  template <typename MakeBatches>
  Numbers Read(AutoShardPolicy policy, const MakeBatches& make) const {
    Numbers all;
    for (int64_t worker = 0; worker < workers; ++worker) {
      const Numbers own = ReadNumbers(
          AutoShard(make().WithOptions({.auto_shard_policy = policy}),
                    {.workers = workers,
                     .worker = worker,
                     .replicas = workers * replicas_each}));
      all.insert(all.end(), own.begin(), own.end());
    }
    std::ranges::sort(all);
    return all;
  }
};

Numbers SortedNumbers(const Dataset& dataset) {
  Numbers numbers = ReadNumbers(dataset);
  std::ranges::sort(numbers);
  return numbers;
}

RC_GTEST_PROP(SharedNodeProperty, DataReadsEveryExampleAsOften, ()) {
  const auto count = *rc::gen::inRange<int64_t>(0, 40);
  const SharedNode shared;
  const Readers readers;
  const bool rows = *rc::gen::arbitrary<bool>();
  const auto make = [&] {
    return shared.Batches(rows ? Dataset::Range(count) : Generated(count));
  };
  RC_ASSERT(readers.Read(AutoShardPolicy::kData, make) ==
            SortedNumbers(make()));
}

// The dataset that one worker reads, once for each worker, has the state of
// earlier passes: a cache that is full, a shuffle that goes on.
RC_GTEST_PROP(SharedNodeProperty, LaterPassesToo, ()) {
  const auto count = *rc::gen::inRange<int64_t>(0, 40);
  SharedNode shared;
  shared.way = 1;  // others have other elements in each pass
  const Readers readers;
  const Dataset batches = shared.Batches(Generated(count));
  const Numbers wanted = SortedNumbers(batches);
  for (int pass = 0; pass < 2; ++pass) {
    const Dataset parts =
        AutoShard(batches, {.replicas = readers.replicas_each});
    RC_ASSERT(SortedNumbers(parts) == wanted);
  }
}

RC_GTEST_PROP(SharedNodeProperty, FileReadsEveryExampleAsOften, ()) {
  const TestFolder folder;
  std::vector<std::string> files;
  int64_t next = 0;
  for (int file = 0; file < 5; ++file) {
    files.push_back(folder / ("part-" + std::to_string(file)));
    std::string lines;
    const auto count = *rc::gen::inRange<int64_t>(0, 8);
    for (int64_t i = 0; i < count; ++i) lines += std::to_string(next++) + "\n";
    WriteWholeFile(files.back(), lines);
  }
  SharedNode shared;
  shared.way = 1;  // others take other parts of each worker's files
  const Readers readers;
  const auto make = [&] {
    return shared.Batches(
        Dataset::FromTextLines(files).Map([](const Structure& line) {
          const std::string text = line.leaf().item<std::string>();
          return Structure(
              Tensor::Scalar<int64_t>(text.empty() ? 0 : std::stoll(text)));
        }));
  };
  RC_ASSERT(readers.Read(AutoShardPolicy::kFile, make) ==
            SortedNumbers(make()));
}

}  // namespace
}  // namespace lockstep
