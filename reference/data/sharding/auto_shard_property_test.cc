// For all numbers of examples, batches, workers and replicas: every example is
// read exactly once, in parts of the documented sizes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/data/sharding/auto_shard_testing.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;

// Ways to nest the number of an example with values that depend on it only.
Structure Nested(int nesting, const Structure& number) {
  const int64_t id = number.leaf().item<int64_t>();
  const Tensor pair = Tensor::FromVector<float>({1.0f * id, -1.0f * id});
  const Tensor text = Tensor::Scalar<std::string>(std::to_string(id));
  switch (nesting) {
    case 0:
      return number;
    case 1:
      return Structure::Tuple({number, pair});
    default:
      return Structure::Tuple(
          {number, Structure::Dict(
                       {{"pair", pair}, {"text", Structure::Tuple({text})}})});
  }
}

// The numbers in a part. All leaves must belong to the same rows.
Numbers IdsOf(int nesting, const Structure& part) {
  const Tensor& ids = nesting == 0 ? part.leaf() : part[0].leaf();
  RC_ASSERT(ids.dtype() == DType::kInt64 && ids.rank() == 1);
  const int64_t rows = ids.dim(0);
  for (int64_t row = 0; nesting > 0 && row < rows; ++row) {
    const Tensor& pair = nesting == 1 ? part[1].leaf() : part[1]["pair"].leaf();
    RC_ASSERT(pair.shape() == (Shape{rows, 2}));
    RC_ASSERT(pair.Row(row).at<float>(1) == -1.0f * ids.at<int64_t>(row));
  }
  if (nesting > 0) {
    const Tensor& pair = nesting == 1 ? part[1].leaf() : part[1]["pair"].leaf();
    RC_ASSERT(pair.dtype() == DType::kFloat32);
    RC_ASSERT(pair.shape() == (Shape{rows, 2}));
  }
  if (nesting > 1) {
    const Tensor& text = part[1]["text"][0].leaf();
    RC_ASSERT(text.dtype() == DType::kString && text.shape() == Shape{rows});
    for (int64_t row = 0; row < rows; ++row) {
      RC_ASSERT(text.at<std::string>(row) ==
                std::to_string(ids.at<int64_t>(row)));
    }
  }
  return {ids.span<int64_t>().begin(), ids.span<int64_t>().end()};
}

struct Job {
  int64_t batch = *rc::gen::inRange<int64_t>(1, 12);
  int64_t workers = *rc::gen::inRange<int64_t>(1, 5);
  int64_t replicas_each = *rc::gen::inRange<int64_t>(1, 4);
  int nesting = *rc::gen::inRange(0, 3);
  bool drop_remainder = *rc::gen::arbitrary<bool>();
  bool shuffled = *rc::gen::arbitrary<bool>();

  int64_t replicas() const { return workers * replicas_each; }

  Dataset Batches(Dataset numbers) const {
    if (shuffled) numbers = numbers.Shuffle(7, /*seed=*/3);
    const int kind = nesting;
    return numbers
        .Map([kind](const Structure& number) { return Nested(kind, number); })
        .Batch(batch, drop_remainder);
  }

  // A worker's parts, replica by replica and step by step.
  std::vector<Numbers> PartsOf(int64_t worker, const Dataset& batches,
                               AutoShardPolicy policy) const {
    std::vector<Numbers> parts;
    for (const Structure& part : AutoShard(
             batches.WithOptions({.auto_shard_policy = policy}),
             {.workers = workers, .worker = worker, .replicas = replicas()})) {
      parts.push_back(IdsOf(nesting, part));
    }
    RC_ASSERT(std::ssize(parts) % replicas_each == 0);
    return parts;
  }

  // Of `examples` examples: the number in batches, and the number of batches.
  int64_t Kept(int64_t examples) const {
    return drop_remainder ? examples / batch * batch : examples;
  }
  int64_t Steps(int64_t examples) const {
    return (Kept(examples) + batch - 1) / batch;
  }

  // ceil(size / replicas) rows each until none are left.
  int64_t RowsOf(int64_t part, int64_t batch_rows) const {
    const int64_t share = (batch_rows + replicas() - 1) / replicas();
    return std::clamp<int64_t>(batch_rows - share * part, 0, share);
  }
};

Numbers Sorted(Numbers numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

RC_GTEST_PROP(AutoShardProperty, DataReadsEveryExampleOnce, ()) {
  const Job job;
  const auto count = *rc::gen::inRange<int64_t>(0, 60);
  Numbers all;
  for (int64_t worker = 0; worker < job.workers; ++worker) {
    const Dataset batches = job.Batches(Dataset::Range(count));
    const auto parts = job.PartsOf(worker, batches, AutoShardPolicy::kData);
    RC_ASSERT(std::ssize(parts) == job.Steps(count) * job.replicas_each);
    for (int64_t i = 0; i < std::ssize(parts); ++i) {
      const int64_t step = i / job.replicas_each;
      const int64_t part = worker * job.replicas_each + i % job.replicas_each;
      const int64_t rows =
          std::min(job.batch, job.Kept(count) - step * job.batch);
      RC_ASSERT(std::ssize(parts[i]) == job.RowsOf(part, rows));
      all.insert(all.end(), parts[i].begin(), parts[i].end());
    }
  }
  RC_ASSERT(std::ssize(all) == job.Kept(count));
  all = Sorted(std::move(all));
  RC_ASSERT(std::ranges::adjacent_find(all) == all.end());
  if (!job.shuffled || !job.drop_remainder) {
    for (int64_t i = 0; i < std::ssize(all); ++i) RC_ASSERT(all[i] == i);
  }
}

// The lines of file i continue the numbers of file i - 1.
struct Files {
  explicit Files(int64_t at_least)
      : sizes(*rc::gen::container<std::vector<int64_t>>(
            *rc::gen::inRange<int64_t>(at_least, at_least + 6),
            rc::gen::inRange<int64_t>(0, 9))) {
    int64_t next = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      names.push_back(folder / ("part-" + std::to_string(100 + i)));
      first.push_back(next);
      std::string lines;
      for (int64_t k = 0; k < sizes[i]; ++k) {
        lines += std::to_string(next++) + "\n";
      }
      WriteWholeFile(names.back(), lines);
    }
  }

  Dataset Read(int way) const {
    const auto parse = [](const Structure& line) {
      const std::string text = line.leaf().item<std::string>();
      return Structure(
          Tensor::Scalar<int64_t>(text.empty() ? 0 : std::stoll(text)));
    };
    const auto read = [](const Structure& name) {
      return Dataset::FromTextLines({name.leaf().item<std::string>()});
    };
    const Dataset list =
        Dataset::ListFiles({folder / "part-*"}, /*shuffle=*/way == 2);
    if (way == 0) return Dataset::FromTextLines(names).Map(parse);
    if (way == 1) return list.FlatMap(read).Map(parse);
    return list.Interleave(read, {.cycle_length = 3, .block_length = 2})
        .Map(parse);
  }

  // What worker `worker` must read.
  Numbers Of(int64_t worker, int64_t workers) const {
    Numbers numbers;
    for (int64_t i = worker; i < std::ssize(sizes); i += workers) {
      for (int64_t k = 0; k < sizes[i]; ++k) numbers.push_back(first[i] + k);
    }
    return numbers;
  }

  const TestFolder folder;
  std::vector<int64_t> sizes;
  std::vector<int64_t> first;
  std::vector<std::string> names;
};

RC_GTEST_PROP(AutoShardProperty, FileReadsEachWorkersFiles, ()) {
  const Job job;
  const Files files(job.workers);
  const Dataset batches = job.Batches(files.Read(*rc::gen::inRange(0, 3)));
  for (int64_t worker = 0; worker < job.workers; ++worker) {
    const Numbers own = files.Of(worker, job.workers);
    const auto parts = job.PartsOf(worker, batches, AutoShardPolicy::kFile);
    const int64_t count = std::ssize(own);
    RC_ASSERT(std::ssize(parts) == job.Steps(count) * job.replicas());
    Numbers all;
    for (int64_t i = 0; i < std::ssize(parts); ++i) {
      // A worker's own batches, divided among the replicas of all workers, take
      // as many steps as there are workers.
      const int64_t rows =
          std::min(job.batch, job.Kept(count) - i / job.replicas() * job.batch);
      RC_ASSERT(std::ssize(parts[i]) == job.RowsOf(i % job.replicas(), rows));
      all.insert(all.end(), parts[i].begin(), parts[i].end());
    }
    all = Sorted(std::move(all));
    RC_ASSERT(std::ranges::adjacent_find(all) == all.end());
    RC_ASSERT(std::ranges::includes(own, all));
    if (!job.drop_remainder) RC_ASSERT(all == own);
  }
}

}  // namespace
}  // namespace lockstep
