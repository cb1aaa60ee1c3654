// For each kind of pipeline, and after each number of steps: an iterator that is
// saved, and restored into a new one of the same pipeline, gives the same rest,
// on any number of replicas.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/data/dataset_testing.h"
#include "reference/data/tf_record_writer.h"
#include "reference/distribute/input/distributed_dataset_testing.h"
#include "reference/distribute/input/iterator_state.h"

namespace lockstep {
namespace {

using Iterator = std::shared_ptr<DistributedIterator>;
using Texts = std::vector<std::string>;

int64_t Number(const Structure& element) {
  return element.leaf().item<int64_t>();
}

Tensor Scalar(int64_t number) { return Tensor::Scalar<int64_t>(number); }

// 0, 1, ..., 11, made by a function.
Dataset Twelve() { return Generated(12); }

Dataset Hundreds(const Structure& x) {
  return Dataset::Range(100 * Number(x), 100 * Number(x) + 3);
}

Structure FailAtEveryFourth(const Structure& x) {
  if (Number(x) % 4 == 1) throw DataLoss("[Parse] {} is damaged", Number(x));
  return x;
}

Dataset Sums() {
  return Twelve().Scan(Scalar(0), [](const Structure& sum, const Structure& x) {
    const Tensor next = Scalar(Number(sum) + Number(x));
    return ScanStep{.state = next, .output = next};
  });
}

Dataset Buckets() {
  const auto repeat = [](const Structure& x) {
    return Tensor::FromVector(
        std::vector<int64_t>(1 + Number(x) * 5 % 4, Number(x)));
  };
  const auto length = [](const Structure& x) -> int64_t {
    return x.leaf().shape().dims()[0];
  };
  return Twelve().Map(repeat).BucketBySequenceLength(
      length, {.boundaries = {3}, .batch_sizes = {2, 3}});
}

Dataset Groups() {
  const auto parity = [](const Structure& x) { return Number(x) % 2; };
  const auto batch = [](int64_t, const Dataset& group) {
    return group.Batch(3);
  };
  return Twelve().GroupByWindow(parity, batch, 3);
}

struct Pipeline {
  std::string name;
  std::function<Dataset()> make;  // of batches
};

std::vector<Pipeline> Orders() {
  return {
      {"range", [] { return Dataset::Range(12).Batch(4); }},
      {"shuffle", [] { return Twelve().Shuffle(5, 1).Batch(2).Prefetch(2); }},
      {"shuffle without a seed, repeated",
       [] { return Twelve().Shuffle(5).Repeat(2).Batch(5); }},
      {"shuffle of a shuffle",
       [] { return Dataset::Range(9).Shuffle(4).Shuffle(3).Batch(2); }},
      {"cache of a shuffle",
       [] { return Twelve().Shuffle(12).Cache().Repeat(3).Batch(5); }},
      {"random without a seed",
       [] { return Dataset::Random().Take(5).Repeat(2).Batch(3); }},
      {"random", [] { return Dataset::Random(3).Take(7).Batch(2); }},
      {"zip",
       [] {
         const auto sum = [](const Structure& pair) {
           return Structure(Scalar(Number(pair[0]) + Number(pair[1])));
         };
         return Dataset::Zip({Twelve().Shuffle(12), Dataset::Random()})
             .Map(sum)
             .Batch(4);
       }},
      {"concatenate",
       [] { return Twelve().Concatenate(Twelve().Shuffle(4)).Batch(5); }},
      {"parts", [] { return Twelve().Skip(1).Shard(2, 1).Take(5).Batch(2); }},
  };
}

std::vector<Pipeline> Functions() {
  return {
      {"parallel map",
       [] {
         const auto square = [](const Structure& x) {
           return Structure(Scalar(Number(x) * Number(x)));
         };
         return Twelve().Map(square, {.num_parallel_calls = 3}).Batch(2);
       }},
      {"interleave",
       [] {
         const InterleaveOptions two{.cycle_length = 2, .block_length = 2};
         return Twelve().Interleave(Hundreds, two).Batch(4);
       }},
      {"parallel interleave",
       [] {
         const InterleaveOptions three{.cycle_length = 3,
                                       .num_parallel_calls = 2};
         return Twelve().Shuffle(6).Interleave(Hundreds, three).Batch(4);
       }},
      {"window",
       [] {
         const auto batch = [](const Dataset& w) { return w.Batch(3); };
         return Twelve().Window({.size = 3, .shift = 2}, batch);
       }},
      {"groups", Groups},
      {"buckets", Buckets},
      {"scan", [] { return Sums().Batch(4); }},
      {"unique",
       [] {
         const auto low = [](const Structure& x) {
           return Structure(Scalar(Number(x) % 7));
         };
         return Twelve().Shuffle(12).Map(low).Unique().Batch(2);
       }},
      {"take while",
       [] {
         const auto small = [](const Structure& x) { return Number(x) < 9; };
         return Twelve().TakeWhile(small).Batch(2);
       }},
      {"ignored errors",
       [] { return Twelve().Map(FailAtEveryFourth).IgnoreErrors().Batch(2); }},
      {"errors", [] { return Twelve().Map(FailAtEveryFourth).Batch(1); }},
  };
}

// A step, or what its error says. Nothing at the end.
Texts NextText(DistributedIterator& iterator) {
  PerReplica<Structure> step;
  try {
    if (iterator.Next(&step)) return {ToText(step)};
  } catch (const Error& error) {
    return {error.what()};
  }
  return {};
}

Texts RestOf(DistributedIterator& iterator) {
  Texts rest;
  for (Texts next; !(next = NextText(iterator)).empty();) {
    rest.push_back(next.front());
  }
  return rest;
}

Iterator On(int replicas, const Dataset& batches) {
  return std::make_shared<DistributedIterator>(
      DistributeDataset(Topology::OneWorker(replicas), CpuDevices(replicas),
                        batches)
          .MakeIterator());
}

Tensor Saved(const Iterator& iterator) {
  return IteratorState(iterator).values()[0].save();
}

void Restore(const Iterator& iterator, const Tensor& saved) {
  IteratorState(iterator).values()[0].restore(saved);
}

// The numbers in the texts, in order: those of a batch on any number of
// replicas.
Texts NumbersOf(const Texts& texts) {
  Texts numbers;
  for (std::string text : texts) {
    for (char& c : text) {
      if (std::string_view("[](),").find(c) != std::string_view::npos) c = ' ';
    }
    std::istringstream words(text);
    for (std::string word; words >> word;) numbers.push_back(word);
  }
  return numbers;
}

void ExpectResumes(const std::function<Dataset()>& make, int steps) {
  const Iterator first = On(1, make());
  for (int i = 0; i < steps; ++i) NextText(*first);
  const Tensor saved = Saved(first);
  const Texts rest = RestOf(*first);

  const Iterator other = On(1, make());
  for (int i = 0; i < 3; ++i) NextText(*other);
  Restore(other, saved);
  EXPECT_EQ(RestOf(*other), rest);
  Restore(first, saved);
  EXPECT_EQ(RestOf(*first), rest) << "after the end of a pass";
}

void ExpectResumesOn(int replicas, const std::function<Dataset()>& make,
                     int steps) {
  const Iterator first = On(2, make());
  for (int i = 0; i < steps; ++i) NextText(*first);
  const Tensor saved = Saved(first);
  const Texts rest = NumbersOf(RestOf(*first));
  const Iterator other = On(replicas, make());
  Restore(other, saved);
  EXPECT_EQ(NumbersOf(RestOf(*other)), rest);
}

void ExpectResumesAnywhere(const Pipeline& pipeline) {
  const int all = static_cast<int>(RestOf(*On(1, pipeline.make())).size());
  ASSERT_GE(all, 3) << pipeline.name;
  for (int steps = 0; steps <= all; ++steps) {
    SCOPED_TRACE(pipeline.name + " after " + std::to_string(steps));
    ExpectResumes(pipeline.make, steps);
    for (const int replicas : {1, 3}) {
      ExpectResumesOn(replicas, pipeline.make, steps);
    }
  }
}

TEST(IteratorStatePipelinesTest, OrdersResumeAfterEachStep) {
  for (const Pipeline& pipeline : Orders()) ExpectResumesAnywhere(pipeline);
}

TEST(IteratorStatePipelinesTest, FunctionsResumeAfterEachStep) {
  for (const Pipeline& pipeline : Functions()) ExpectResumesAnywhere(pipeline);
}

TEST(IteratorStatePipelinesTest, FilesResumeAfterEachStep) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c"}) {
    WriteWholeFile(folder / (std::string(name) + ".txt"), "0\n1\n2\n3\n");
    TFRecordWriter records(folder / (std::string(name) + ".records"));
    for (const char* record : {"0", "1", "2"})
      records.Write(name + std::string(record));
    records.Close();
  }
  const auto lines = [&] {
    const auto read = [](const Structure& file) {
      return Dataset::FromTextLines({file.leaf().item<std::string>()});
    };
    return Dataset::ListFiles({folder / "*.txt"})
        .Interleave(read, {.cycle_length = 2, .num_parallel_calls = 2})
        .Batch(3);
  };
  ExpectResumesAnywhere({"lines of shuffled files", lines});
  const auto records = [&] {
    return Dataset::FromTFRecords({folder / "a.records", folder / "b.records"})
        .Shuffle(4)
        .Batch(2);
  };
  ExpectResumesAnywhere({"records", records});
  const auto cached = [&] {
    return Dataset::Range(6).Cache(folder / "cache").Batch(2);
  };
  ExpectResumesAnywhere({"cache in a file", cached});
}

// An error that was not there when the position was saved is thrown.
TEST(IteratorStatePipelinesTest, NewErrorsAreThrown) {
  auto damaged = std::make_shared<bool>(false);
  const Iterator iterator =
      On(1, Twelve()
                .Map([=](const Structure& x) {
                  return *damaged ? FailAtEveryFourth(x) : x;
                })
                .Batch(1));
  for (int i = 0; i < 3; ++i) NextText(*iterator);
  const Tensor saved = Saved(iterator);
  *damaged = true;
  ExpectError([&] { Restore(iterator, saved); }, Code::kDataLoss,
              "1 is damaged");
}

TEST(IteratorStatePipelinesTest, RefusesWhatCannotBeReadAgain) {
  const auto start = [] {
    return [n = int64_t{0}]() mutable -> std::optional<Structure> {
      return Structure(Scalar(n++));
    };
  };
  const SpecStructure number = TensorSpec{Shape{}, DType::kInt64};
  const Dataset generated = Dataset::FromGenerator(start, number);
  ExpectError([&] { Saved(On(1, generated.Take(4).Batch(2))); },
              Code::kFailedPrecondition, "another pass over Generator");
  const Dataset unordered =
      Twelve().Map([](const Structure& x) { return x; },
                   {.num_parallel_calls = 2, .deterministic = false});
  ExpectError([&] { Saved(On(1, unordered.Batch(2))); },
              Code::kFailedPrecondition, "another pass over Map");
}

TEST(IteratorStatePipelinesTest, RefusesTheStateOfAnotherPipeline) {
  const Tensor saved = Saved(On(1, Dataset::Range(8).Batch(2)));
  const auto restore = [&](const Dataset& batches) {
    return [&saved, batches] { Restore(On(1, batches), saved); };
  };
  EXPECT_NO_THROW(restore(Dataset::Range(8).Batch(2))());
  ExpectError(restore(Dataset::Range(8).Take(8).Batch(2)),
              Code::kInvalidArgument,
              "the state is of the pipeline Batch(Range), and this one is "
              "Batch(Take(Range))");
}

}  // namespace
}  // namespace lockstep
