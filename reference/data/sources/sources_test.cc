#include <gtest/gtest.h>

#include "reference/base/file_testing.h"
#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(FromTensorsTest, IsOneElement) {
  const Tensor t = Tensor::FromVector<int64_t>({1, 2});
  const Dataset one = Dataset::FromTensors(Structure::Dict({{"x", t}}));
  EXPECT_EQ(ReadAll(one), Texts{"{x: [1, 2]}"});
  EXPECT_EQ(ReadAll(one), Texts{"{x: [1, 2]}"});
  EXPECT_EQ(one.cardinality(), 1);
  EXPECT_EQ(ToString(one.element_spec()["x"].leaf()), "int64 (2,)");
}

TEST(FromTensorsTest, RepeatsAndBatches) {
  const Dataset one = Dataset::FromTensors(Tensor::Scalar<int64_t>(4));
  EXPECT_EQ(ReadAll(one.Repeat(3).Batch(2)), (Texts{"[4, 4]", "[4]"}));
}

TEST(FromTensorsTest, RefusesUndefinedTensors) {
  ExpectError([] { Dataset::FromTensors(Tensor()); }, Code::kInvalidArgument,
              "[FromTensors] a tensor holds nothing");
}

TEST(FromTensorSlicesTest, IsOneElementPerRow) {
  const Tensor t = Tensor::FromVector<int64_t>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  const Dataset rows = Dataset::FromTensorSlices(t);
  EXPECT_EQ(ReadAll(rows), (Texts{"[1, 2]", "[3, 4]", "[5, 6]"}));
  EXPECT_EQ(rows.cardinality(), 3);
  EXPECT_EQ(ToString(rows.element_spec().leaf()), "int64 (2,)");
}

TEST(FromTensorSlicesTest, SlicesStructuresInStep) {
  const Dataset rows = Dataset::FromTensorSlices(
      Structure::Dict({{"x", Tensor::FromVector<int64_t>({1, 2})},
                       {"y", Tensor::FromVector<std::string>({"a", "b"})}}));
  EXPECT_EQ(ReadAll(rows), (Texts{"{x: 1, y: 'a'}", "{x: 2, y: 'b'}"}));
}

TEST(FromTensorSlicesTest, ListIsATuple) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{2});
  const Tensor y = Tensor::FromVector<float>({3, 4}, Shape{2});
  EXPECT_EQ(ReadAll(Dataset::FromTensorSlices({x, y})),
            ReadAll(Dataset::FromTensorSlices(Structure::Tuple({x, y}))));
}

TEST(FromTensorSlicesTest, AllowsNoRowsAndEmptyRows) {
  EXPECT_EQ(ReadAll(Dataset::FromTensorSlices(Tensor::Zeros(Shape{0, 3}))),
            Texts{});
  EXPECT_EQ(ReadAll(Dataset::FromTensorSlices(Tensor::Zeros(Shape{3, 0}))
                        .Shuffle(3, 1)
                        .Batch(2)),
            (Texts{"[[], []]", "[[]]"}));
}

// Every width with its own code for copying, for every type.
TEST(FromTensorSlicesTest, ScatteredRowsOfEveryTypeAndWidth) {
  const auto check = [](DType dtype, int64_t width) {
    const Tensor numbers = [&] {
      std::vector<int64_t> values(5 * width);
      for (size_t i = 0; i < values.size(); ++i) values[i] = i % 120;
      return Tensor::FromVector<int64_t>(values, Shape{5, width});
    }();
    const Tensor rows = numbers.Cast(dtype);
    const Structure batch = Dataset::FromTensorSlices(rows)
                                .Shard(2, 0)
                                .Batch(3)
                                .MakeIterator()
                                .GetNext();
    ASSERT_EQ(batch.leaf().dim(0), 3);
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(BitwiseEqual(batch.leaf().Row(i), rows.Row(2 * i)))
          << DTypeName(dtype) << " " << width;
    }
  };
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32,
                            DType::kInt64, DType::kUInt8, DType::kBool}) {
    for (const int64_t width : {0, 1, 2, 3, 4, 7, 8, 16, 63, 100, 1000}) {
      check(dtype, width);
    }
  }
}

TEST(FromTensorSlicesTest, ScatteredRowsOfStrings) {
  const Tensor words = Tensor::FromVector<std::string>(
      {"a", "b", "c", "d", "e", "f"}, Shape{3, 2});
  EXPECT_EQ(ReadAll(Dataset::FromTensorSlices(words).Shard(2, 0).Batch(2)),
            Texts{"[['a', 'b'], ['e', 'f']]"});
}

TEST(FromTensorSlicesTest, ErrorsAreTyped) {
  const Tensor two = Tensor::Zeros(Shape{2});
  ExpectError([] { Dataset::FromTensorSlices(Tensor::Scalar(1.0f)); },
              Code::kInvalidArgument,
              "[FromTensorSlices] a scalar has no rows, got float32 ()");
  ExpectError(
      [&] {
        Dataset::FromTensorSlices(
            Structure::Tuple({two, Tensor::Zeros(Shape{3})}));
      },
      Code::kInvalidArgument, "the same number of rows, got 2 and 3");
  ExpectError([] { Dataset::FromTensorSlices(Structure::Tuple({})); },
              Code::kInvalidArgument, "there are no tensors");
  ExpectError([] { Dataset::FromTensorSlices(Tensor()); },
              Code::kInvalidArgument, "holds nothing");
}

TEST(RangeTest, CountsToTheStop) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(3)), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(2, 5)), (Numbers{2, 3, 4}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(0, 7, 3)), (Numbers{0, 3, 6}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(5, 0, -2)), (Numbers{5, 3, 1}));
}

TEST(RangeTest, MayBeEmpty) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(0)), Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::Range(-3)), Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::Range(0, 5, -1)), Numbers{});
  EXPECT_EQ(Dataset::Range(5, 5).cardinality(), 0);
}

TEST(RangeTest, ElementsAreInt64Scalars) {
  EXPECT_EQ(ToString(Dataset::Range(3).element_spec().leaf()), "int64 ()");
  EXPECT_EQ(Describe(Dataset::Range(3).MakeIterator().GetNext().leaf()),
            "int64 ()");
}

TEST(RangeTest, CardinalityAtTheLimits) {
  EXPECT_EQ(Dataset::Range(0, 7, 3).cardinality(), 3);
  EXPECT_EQ(Dataset::Range(INT64_MAX).cardinality(), INT64_MAX);
  EXPECT_EQ(Dataset::Range(INT64_MIN, INT64_MAX, INT64_MAX).cardinality(), 3);
  EXPECT_EQ(ReadNumbers(Dataset::Range(INT64_MAX, INT64_MIN, INT64_MIN)),
            (Numbers{INT64_MAX, -1}));
}

TEST(RangeTest, ErrorsAreTyped) {
  ExpectError([] { Dataset::Range(0, 5, 0); }, Code::kInvalidArgument,
              "[Range] step must not be 0");
  ExpectError([] { Dataset::Range(INT64_MIN, INT64_MAX); },
              Code::kInvalidArgument, "too many");
}

const SpecStructure kScalar = TensorSpec{Shape{}, DType::kInt64};

// 0..count-1. Throws `error` in place of number `fails_at`.
template <typename Exception = std::runtime_error>
Dataset Counting(int64_t count, int64_t fails_at = -1,
                 Exception error = Exception("broken")) {
  return Dataset::FromGenerator(
      [=] {
        return [=, next = int64_t{0}]() mutable -> std::optional<Structure> {
          if (next == count) return std::nullopt;
          if (next++ == fails_at) throw error;
          return Structure(Tensor::Scalar<int64_t>(next - 1));
        };
      },
      kScalar);
}

TEST(FromGeneratorTest, StartsAgainEachPass) {
  const Dataset three = Counting(3);
  EXPECT_EQ(ReadNumbers(three), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadNumbers(three.Repeat(2)), (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(three.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(three.element_spec().leaf()), "int64 ()");
}

TEST(FromGeneratorTest, IsNotCalledAfterItsEnd) {
  auto calls = std::make_shared<int>(0);
  const Dataset none = Dataset::FromGenerator(
      [calls] {
        return [calls]() -> std::optional<Structure> {
          ++*calls;
          return std::nullopt;
        };
      },
      kScalar);
  DatasetIterator iterator = none.MakeIterator();
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_EQ(*calls, 1);
}

TEST(FromGeneratorTest, ItsExceptionsAreInvalidArgument) {
  DatasetIterator iterator = Counting(3, 1).MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 0);
  ExpectError([&] { iterator.GetNext(); }, Code::kInvalidArgument,
              "[FromGenerator] the generator failed: broken");
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 2);
}

TEST(FromGeneratorTest, TypedErrorsKeepTheirType) {
  const Dataset failing = Counting(3, 0, DataLoss("[Read] checksum is wrong"));
  ExpectError([&] { failing.MakeIterator().GetNext(); }, Code::kDataLoss,
              "[Read] checksum is wrong");
}

TEST(FromGeneratorTest, ElementsMustHaveTheSpec) {
  const SpecStructure row = TensorSpec{Shape{kUnknownDim, 2}, DType::kFloat32};
  const auto yield = [&](const Structure& element) {
    return Dataset::FromGenerator(
        [element] { return [element] { return std::optional(element); }; },
        row);
  };
  EXPECT_NO_THROW(yield(Tensor::Zeros(Shape{5, 2})).MakeIterator().GetNext());
  for (const Structure& wrong :
       {Structure(Tensor::Zeros(Shape{5, 3})),
        Structure(Tensor::Zeros(Shape{2})),
        Structure(Tensor::Zeros(Shape{5, 2}, DType::kInt32)),
        Structure::Tuple({Tensor::Zeros(Shape{5, 2})})}) {
    ExpectError([&] { yield(wrong).MakeIterator().GetNext(); },
                Code::kInvalidArgument, "wanted float32 (None, 2)");
  }
}

TEST(FromGeneratorTest, NeedsAFunction) {
  ExpectError([] { Dataset::FromGenerator(nullptr, kScalar); },
              Code::kInvalidArgument, "[FromGenerator] there is no generator");
}

TEST(TextLinesTest, ReadsTheLinesOfAllFiles) {
  const TestFolder folder;
  WriteWholeFile(folder / "a", "one\ntwo\r\n\nlast");
  WriteWholeFile(folder / "b", "");
  WriteWholeFile(folder / "c", std::string("n\0l\n", 4));
  const Dataset lines =
      Dataset::FromTextLines({folder / "a", folder / "b", folder / "c"});
  std::vector<std::string> read;
  for (const Structure& line : lines) {
    read.push_back(line.leaf().item<std::string>());
  }
  EXPECT_EQ(read, (Texts{"one", "two", "", "last", std::string("n\0l", 3)}));
  EXPECT_EQ(lines.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(lines.element_spec().leaf()), "string ()");
  EXPECT_EQ(Dataset::FromTextLines({}).cardinality(), 0);
}

TEST(TextLinesTest, MissingFileCostsThatFile) {
  const TestFolder folder;
  WriteWholeFile(folder / "b", "x\n");
  DatasetIterator lines =
      Dataset::FromTextLines({folder / "a", folder.path(), folder / "b"})
          .MakeIterator();
  ExpectError([&] { lines.GetNext(); }, Code::kNotFound,
              "[FromTextLines] cannot open " + folder / "a");
  ExpectError([&] { lines.GetNext(); }, Code::kUnavailable,
              "[FromTextLines] cannot read " + folder.path());
  EXPECT_EQ(ToText(lines.GetNext()), "'x'");
  EXPECT_FALSE(lines.GetNextAsOptional().has_value());
  ExpectError([] { Dataset::FromTextLines({""}); }, Code::kInvalidArgument,
              "a file has no name");
}

// list(tf.data.Dataset.random(seed).take(5)) of TensorFlow 2.21.
TEST(RandomTest, ASeedGivesTensorFlowsNumbers) {
  const Dataset random = Dataset::Random(42);
  const Numbers numbers = {2985944072, 4132877644, 929418493, 249609589,
                           146598941};
  EXPECT_EQ(ReadNumbers(random.Take(5)), numbers);
  EXPECT_EQ(ReadNumbers(random.Take(5)), numbers) << "the second pass";
  EXPECT_EQ(random.cardinality(), kInfiniteCardinality);
  EXPECT_EQ(ToString(random.element_spec().leaf()), "int64 ()");
}

TEST(RandomTest, WithoutASeedPassesDiffer) {
  const Dataset random = Dataset::Random().Take(5);
  EXPECT_NE(ReadNumbers(random), ReadNumbers(random));
}

// Of tf.data.Dataset.random(3, rerandomize_each_iteration=True).take(2), two
// passes, then of .repeat(3) of a new one.
TEST(RandomTest, ASeedMayGiveOthersInEachPass) {
  const Dataset random =
      Dataset::Random(3, /*rerandomize_each_iteration=*/true).Take(2);
  EXPECT_EQ(ReadNumbers(random), (Numbers{2698304964, 3230936430}));
  EXPECT_EQ(ReadNumbers(random), (Numbers{1595858328, 3580113443}));
  const Dataset repeated = Dataset::Random(3, true).Take(2).Repeat(3);
  EXPECT_EQ(ReadNumbers(repeated), (Numbers{2698304964, 3230936430, 1595858328,
                                            3580113443, 334821188, 154935408}));
  EXPECT_EQ(ReadNumbers(Dataset::Random(3, false).Take(2)),
            (Numbers{3534849767, 279844183}));
}

TEST(RandomTest, WithoutASeedPassesMayBeEqual) {
  const Dataset random =
      Dataset::Random(std::nullopt, /*rerandomize_each_iteration=*/false)
          .Take(5);
  EXPECT_EQ(ReadNumbers(random), ReadNumbers(random));
}

// 2^31 - 1 of them.
TEST(RandomTest, SeedsWrapAround) {
  EXPECT_EQ(ReadNumbers(Dataset::Random(-1).Take(5)),
            ReadNumbers(Dataset::Random(2147483646).Take(5)));
  EXPECT_EQ(ReadNumbers(Dataset::Random(2147483647 + 5LL).Take(5)),
            ReadNumbers(Dataset::Random(5).Take(5)));
}

}  // namespace
}  // namespace lockstep
