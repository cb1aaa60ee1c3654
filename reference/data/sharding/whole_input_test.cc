// Sharding of transformations that need the elements of all files. Expected
// values, with elements in batches of one per worker: TensorFlow 2.21.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/data/sharding/auto_shard_testing.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;
using Transformation = std::function<Dataset(const Dataset&)>;

Structure ToNumber(const Structure& line) {
  const std::string text = line.leaf().item<std::string>();
  return Tensor::Scalar<int64_t>(text.empty() ? 0 : std::stoll(text));
}

Dataset NotThree(const Dataset& numbers) {
  return numbers.TakeWhile(
      [](const Structure& x) { return x.leaf().item<int64_t>() != 3; });
}

// 100 times the position, plus the element.
Dataset Numbered(const Dataset& numbers) {
  return numbers.Scan(Tensor::Scalar<int64_t>(0), [](const Structure& state,
                                                     const Structure& x) {
    const int64_t n = state.leaf().item<int64_t>();
    return ScanStep{
        .state = Tensor::Scalar<int64_t>(n + 1),
        .output = Tensor::Scalar<int64_t>(100 * n + x.leaf().item<int64_t>())};
  });
}

Dataset Same(const Dataset& numbers) { return numbers.IgnoreErrors(); }
Dataset First(const Dataset& numbers) { return numbers.Unique(); }

// Two files, of 0 to 3 and of 10 to 13.
class WholeInputTest : public testing::Test {
 protected:
  WholeInputTest() {
    WriteWholeFile(folder_ / "part-0", "00\n01\n02\n03\n");
    WriteWholeFile(folder_ / "part-1", "10\n11\n12\n13\n");
  }

  Dataset Lines() const {
    return Dataset::FromTextLines({folder_ / "part-0", folder_ / "part-1"})
        .Map(ToNumber);
  }

  static Numbers Read(const Dataset& elements, int worker,
                      AutoShardPolicy policy) {
    return ReadNumbers(
        AutoShard(elements.Batch(2).WithOptions({.auto_shard_policy = policy}),
                  {.workers = 2, .worker = worker, .replicas = 2}));
  }

  TestFolder folder_;
};

TEST_F(WholeInputTest, FileRefusesIt) {
  for (const auto& [name, transform] :
       std::vector<std::pair<std::string, Transformation>>{
           {"TakeWhile", NotThree},
           {"Scan", Numbered},
           {"Unique", First},
           {"IgnoreErrors", Same}}) {
    ExpectError(
        [&] { Read(transform(Lines()), 0, AutoShardPolicy::kFile); },
        Code::kNotFound,
        "[AutoShard] the policy FILE cannot give " + name +
            " a part of the files: what it makes of an element depends on "
            "elements before; use DATA, or OFF and Shard");
  }
}

TEST_F(WholeInputTest, AutoDividesElementsAtTheEnd) {
  const auto numbered = [&](int worker) {
    const Dataset lines =
        Dataset::ListFiles({folder_ / "part-*"}, /*shuffle=*/false)
            .Interleave(
                [](const Structure& name) {
                  return Dataset::FromTextLines(
                      {name.leaf().item<std::string>()});
                },
                {.cycle_length = 2})
            .Map(ToNumber);
    return Read(Numbered(lines), worker, AutoShardPolicy::kAuto);
  };
  EXPECT_EQ(numbered(0), (Numbers{0, 201, 402, 603}));
  EXPECT_EQ(numbered(1), (Numbers{110, 311, 512, 713}));
  const Dataset batches = Numbered(Lines()).Batch(2);
  EXPECT_EQ(DescribeSharding(batches, {.workers = 2, .replicas = 2}).policy,
            AutoShardPolicy::kData);
}

// GroupByWindow gives batches, of which each worker gets its row.
TEST_F(WholeInputTest, GroupsAreDividedAfterTheyAreMade) {
  const Dataset groups = Dataset::Range(8).GroupByWindow(
      [](const Structure& x) { return x.leaf().item<int64_t>() % 2; },
      [](int64_t, const Dataset& window) { return window.Batch(2); }, 2);
  EXPECT_EQ(StepsOf(0, 1, groups, AutoShardPolicy::kData),
            (Texts{"[0]", "[1]", "[4]", "[5]"}));
  EXPECT_EQ(StepsOf(1, 1, groups, AutoShardPolicy::kData),
            (Texts{"[2]", "[3]", "[6]", "[7]"}));
  const Dataset lines = Lines().GroupByWindow(
      [](const Structure&) { return 0; },
      [](int64_t, const Dataset& window) { return window.Batch(2); }, 2);
  ExpectError([&] { StepsOf(0, 1, lines, AutoShardPolicy::kFile); },
              Code::kNotFound, "cannot give GroupByWindow a part");
  EXPECT_EQ(StepsOf(1, 1, lines)[0], "[1]");
}

// As in TensorFlow, each worker makes windows of its own files.
TEST_F(WholeInputTest, WindowsAreMadeOfOwnFiles) {
  const Dataset windows = Lines().Window(
      {.size = 2}, [](const Dataset& window) { return window.Batch(2); });
  EXPECT_EQ(StepsOf(1, 1, windows), (Texts{"[10]", "[11]", "[12]", "[13]"}));
}

TEST_F(WholeInputTest, DataDividesElementsAtTheEnd) {
  const Dataset numbers = Dataset::Range(8);
  EXPECT_EQ(Read(NotThree(numbers), 0, AutoShardPolicy::kData),
            (Numbers{0, 2}));
  EXPECT_EQ(Read(NotThree(numbers), 1, AutoShardPolicy::kData), (Numbers{1}));
  EXPECT_EQ(Read(First(numbers), 1, AutoShardPolicy::kData),
            (Numbers{1, 3, 5, 7}));
}

// Each file is read as a whole by one worker.
TEST_F(WholeInputTest, FunctionsOfOneFileMayUseIt) {
  const Dataset lines =
      Dataset::ListFiles({folder_ / "part-*"}, /*shuffle=*/false)
          .FlatMap([](const Structure& name) {
            return NotThree(
                Dataset::FromTextLines({name.leaf().item<std::string>()})
                    .Map(ToNumber));
          });
  EXPECT_EQ(Read(lines, 0, AutoShardPolicy::kFile), (Numbers{0, 1, 2}));
  EXPECT_EQ(Read(lines, 1, AutoShardPolicy::kAuto), (Numbers{10, 11, 12, 13}));
}

}  // namespace
}  // namespace lockstep
