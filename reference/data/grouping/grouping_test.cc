// Expected values: TensorFlow 2.21.
#include <gtest/gtest.h>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;

Texts Windows(int64_t count, const WindowOptions& options) {
  return ReadAll(Dataset::Range(count).Window(
      options, [](const Dataset& window) { return window.Batch(100); }));
}

TEST(WindowTest, CutsTheElements) {
  EXPECT_EQ(Windows(7, {.size = 3}), (Texts{"[0, 1, 2]", "[3, 4, 5]", "[6]"}));
  EXPECT_EQ(Windows(7, {.size = 3, .drop_remainder = true}),
            (Texts{"[0, 1, 2]", "[3, 4, 5]"}));
  EXPECT_EQ(Windows(0, {.size = 3}), Texts{});
}

TEST(WindowTest, ShiftsAndStrides) {
  EXPECT_EQ(Windows(5, {.size = 3, .shift = 1}),
            (Texts{"[0, 1, 2]", "[1, 2, 3]", "[2, 3, 4]", "[3, 4]", "[4]"}));
  EXPECT_EQ(Windows(7, {.size = 2, .shift = 3}),
            (Texts{"[0, 1]", "[3, 4]", "[6]"}));
  EXPECT_EQ(Windows(7, {.size = 3, .shift = 1, .stride = 2}),
            (Texts{"[0, 2, 4]", "[1, 3, 5]", "[2, 4, 6]", "[3, 5]", "[4, 6]",
                   "[5]", "[6]"}));
  EXPECT_EQ(
      Windows(7, {.size = 3, .shift = 1, .stride = 2, .drop_remainder = true}),
      (Texts{"[0, 2, 4]", "[1, 3, 5]", "[2, 4, 6]"}));
}

TEST(WindowTest, IsADataset) {
  const Dataset tails = Dataset::Range(4).Enumerate().Window(
      {.size = 2}, [](const Dataset& window) { return window.Skip(1); });
  EXPECT_EQ(ReadAll(tails), (Texts{"(1, 1)", "(3, 3)"}));
  EXPECT_EQ(ReadAll(tails.Repeat(2)).size(), 4u);
  EXPECT_EQ(tails.cardinality(), kUnknownCardinality);
  const Dataset batches = Dataset::Range(4).Window(
      {.size = 3}, [](const Dataset& window) { return window.Batch(3); });
  EXPECT_EQ(ToString(batches.element_spec().leaf()), "int64 (None,)");
}

TEST(WindowTest, ErrorCostsItsElement) {
  const Dataset damaged = Dataset::Range(5).Map([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 1) throw DataLoss("[Read] damaged");
    return x;
  });
  DatasetIterator windows =
      damaged
          .Window({.size = 2},
                  [](const Dataset& window) { return window.Batch(2); })
          .MakeIterator();
  ExpectError([&] { windows.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(ToText(windows.GetNext()), "[0, 2]");
  EXPECT_EQ(ToText(windows.GetNext()), "[3, 4]");
  EXPECT_FALSE(windows.GetNextAsOptional().has_value());
}

TEST(WindowTest, RefusesSizesBelowOne) {
  ExpectError([] { Windows(3, {.size = 0}); }, Code::kInvalidArgument,
              "[Window] size must be positive, got 0");
  ExpectError([] { Windows(3, {.size = 1, .shift = 0}); },
              Code::kInvalidArgument, "shift must be positive, got 0");
  ExpectError([] { Windows(3, {.size = 1, .stride = -1}); },
              Code::kInvalidArgument, "stride must be positive, got -1");
  ExpectError([] { Dataset::Range(3).Window({}, nullptr); },
              Code::kInvalidArgument, "[Window] there is no function");
}

KeyFunction Modulo(int64_t divisor, int64_t plus = 0) {
  return [=](const Structure& x) {
    return (x.leaf().item<int64_t>() + plus) % divisor;
  };
}

Dataset Batched(int64_t /*key*/, const Dataset& window) {
  return window.Batch(10);
}

TEST(GroupByWindowTest, LeftOversComeByKey) {
  const Dataset parity =
      Dataset::Range(10).GroupByWindow(Modulo(2), Batched, 3);
  EXPECT_EQ(ReadAll(parity),
            (Texts{"[0, 2, 4]", "[1, 3, 5]", "[6, 8]", "[7, 9]"}));
  EXPECT_EQ(parity.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(parity.element_spec().leaf()), "int64 (None,)");
  EXPECT_EQ(ReadAll(Dataset::Range(8).GroupByWindow(Modulo(3, 1), Batched, 5)),
            (Texts{"[2, 5]", "[0, 3, 6]", "[1, 4, 7]"}));
}

TEST(GroupByWindowTest, SizeMayDependOnTheKey) {
  EXPECT_EQ(ReadAll(Dataset::Range(10).GroupByWindow(
                Modulo(2), Batched, [](int64_t key) { return 2 + key; })),
            (Texts{"[0, 2]", "[1, 3, 5]", "[4, 6]", "[8]", "[7, 9]"}));
}

TEST(GroupByWindowTest, RefusesWhatItCannotGroup) {
  const Dataset numbers = Dataset::Range(3);
  ExpectError(
      [&] { ReadAll(numbers.GroupByWindow(Modulo(2), Batched, 0)); },
      Code::kInvalidArgument,
      "[GroupByWindow] the window size must be positive, got 0 for key 0");
  ExpectError([&] { numbers.GroupByWindow(nullptr, Batched, 1); },
              Code::kInvalidArgument, "[GroupByWindow] a function is missing");
  ExpectError(
      [] {
        Dataset::Range(0).GroupByWindow(Modulo(2), Batched, 1).element_spec();
      },
      Code::kInvalidArgument, "[GroupByWindow] the input has no element");
}

// Of lengths 1, 2, 3, 1, 2, 4.
Dataset Sequences() {
  return Dataset::Range(6).Map(
      [](const Structure& x) -> Structure {
        constexpr int64_t kLengths[] = {1, 2, 3, 1, 2, 4};
        const int64_t i = x.leaf().item<int64_t>();
        int64_t next = 0;
        for (int64_t k = 0; k < i; ++k) next += kLengths[k];
        std::vector<int64_t> numbers;
        for (int64_t k = 0; k < kLengths[i]; ++k) numbers.push_back(next++);
        return Tensor::FromVector<int64_t>(numbers);
      },
      TensorSpec{Shape{kUnknownDim}, DType::kInt64});
}

int64_t Length(const Structure& x) { return x.leaf().dim(0); }

// TensorFlow's example numbers its elements in the same way.
TEST(BucketBySequenceLengthTest, PadsToTheLongestOfTheBatch) {
  const Dataset buckets = Sequences().BucketBySequenceLength(
      Length, {.boundaries = {2, 4}, .batch_sizes = {2, 2, 2}});
  EXPECT_EQ(ReadAll(buckets), (Texts{"[[1, 2, 0], [3, 4, 5]]", "[[0], [6]]",
                                     "[[7, 8]]", "[[9, 10, 11, 12]]"}));
  EXPECT_EQ(ToString(buckets.element_spec().leaf()), "int64 (None, None)");
  EXPECT_EQ(ReadAll(Sequences().BucketBySequenceLength(
                        Length, {.boundaries = {2, 4},
                                 .batch_sizes = {2, 2, 2},
                                 .drop_remainder = true}))
                .size(),
            2u);
  EXPECT_EQ(ReadAll(Sequences().BucketBySequenceLength(
                        Length, {.boundaries = {2, 4},
                                 .batch_sizes = {2, 2, 2},
                                 .padding = -1}))
                .front(),
            "[[1, 2, -1], [3, 4, 5]]");
}

// Of lengths 1, 2, 3, 1, 2, 4; buckets below 2, below 5, and the rest.
TEST(BucketBySequenceLengthTest, PadsToTheBoundary) {
  const BucketOptions options = {.boundaries = {2, 5},
                                 .batch_sizes = {2, 2, 2},
                                 .pad_to_bucket_boundary = true};
  const Dataset buckets = Sequences().BucketBySequenceLength(Length, options);
  EXPECT_EQ(ReadAll(buckets),
            (Texts{"[[1, 2, 0, 0], [3, 4, 5, 0]]", "[[0], [6]]",
                   "[[7, 8, 0, 0], [9, 10, 11, 12]]"}));
  EXPECT_EQ(ToString(buckets.element_spec().leaf()), "int64 (None, None)");
}

TEST(BucketBySequenceLengthTest, PadsNothingPastTheLastBoundary) {
  DatasetIterator buckets =
      Sequences()
          .BucketBySequenceLength(Length, {.boundaries = {2, 4},
                                           .batch_sizes = {1, 1, 1},
                                           .pad_to_bucket_boundary = true})
          .Skip(3)
          .MakeIterator();
  EXPECT_EQ(ToText(buckets.GetNext()), "[[6]]");
  EXPECT_EQ(ToText(buckets.GetNext()), "[[7, 8, 0]]");
  ExpectError([&] { buckets.GetNext(); }, Code::kInvalidArgument,
              "[BucketBySequenceLength] pad_to_bucket_boundary needs elements "
              "that are shorter than the last boundary, 4");
  EXPECT_FALSE(buckets.GetNextAsOptional().has_value());
}

// A length that is not the element's.
TEST(BucketBySequenceLengthTest, RefusesAnElementLongerThanItsBucket) {
  const Dataset buckets = Sequences().BucketBySequenceLength(
      [](const Structure&) { return int64_t{1}; },
      {.boundaries = {3},
       .batch_sizes = {3, 3},
       .pad_to_bucket_boundary = true});
  ExpectError([&] { ReadAll(buckets); }, Code::kDataLoss,
              "[PaddedBatch] an element of shape (3,) cannot be padded to the "
              "length 2");
}

TEST(BucketBySequenceLengthTest, NoPaddingTakesEqualShapes) {
  const BucketOptions options = {.boundaries = {2, 3},
                                 .batch_sizes = {2, 2, 1},
                                 .pad_to_bucket_boundary = true,
                                 .no_padding = true};
  EXPECT_EQ(ReadAll(Sequences().BucketBySequenceLength(Length, options)),
            (Texts{"[[3, 4, 5]]", "[[0], [6]]", "[[1, 2], [7, 8]]",
                   "[[9, 10, 11, 12]]"}));
  ExpectError(
      [] {
        ReadAll(Sequences().BucketBySequenceLength(
            Length, {.batch_sizes = {6}, .no_padding = true}));
      },
      Code::kInvalidArgument, "[Batch] elements of one batch must match");
}

TEST(BucketBySequenceLengthTest, RefusesSizesThatDoNotFit) {
  const auto make = [](const BucketOptions& options) {
    Sequences().BucketBySequenceLength(Length, options);
  };
  ExpectError(
      [&] {
        make({.boundaries = {2, 4}, .batch_sizes = {2, 2}});
      },
      Code::kInvalidArgument,
      "[BucketBySequenceLength] there must be one batch size more than "
      "boundaries, got 2 and 2");
  ExpectError(
      [&] {
        make({.boundaries = {2, 2}, .batch_sizes = {1, 1, 1}});
      },
      Code::kInvalidArgument, "boundaries must increase");
  ExpectError(
      [&] {
        make({.boundaries = {2}, .batch_sizes = {1, 0}});
      },
      Code::kInvalidArgument, "batch sizes must be positive, got 0");
}

}  // namespace
}  // namespace lockstep
