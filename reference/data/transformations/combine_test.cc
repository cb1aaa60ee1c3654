#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

Structure Double(const Structure& x) {
  return x.Map<Tensor>([](const Tensor& leaf) {
    Tensor result = leaf.Clone();
    for (int64_t i = 0; i < leaf.num_elements(); ++i) {
      result.mutable_data<int64_t>()[i] *= 2;
    }
    return result;
  });
}

TEST(MapTest, AppliesTheFunctionToEveryElement) {
  const Dataset doubled = Dataset::Range(3).Map(Double);
  EXPECT_EQ(ReadNumbers(doubled), (Numbers{0, 2, 4}));
  EXPECT_EQ(doubled.cardinality(), 3);
}

TEST(MapTest, MayChangeTheFormOfElements) {
  const Dataset pairs = Dataset::Range(2).Map([](const Structure& x) {
    return Structure::Dict({{"y", Double(x)}, {"x", x}});
  });
  EXPECT_EQ(ReadAll(pairs), (Texts{"{x: 0, y: 0}", "{x: 1, y: 2}"}));
}

TEST(MapTest, SpecIsFoundByTryingZeros) {
  const auto cast = [](const Structure& x) -> Structure {
    return x.leaf().Cast(DType::kFloat32);
  };
  EXPECT_EQ(ToString(Dataset::Range(3).Map(cast).element_spec().leaf()),
            "float32 ()");
  EXPECT_EQ(
      ToString(Dataset::Range(3).Batch(2).Map(cast).element_spec().leaf()),
      "float32 (None,)");
}

TEST(MapTest, ChecksTheGivenSpec) {
  const SpecStructure spec = TensorSpec{Shape{kUnknownDim}, DType::kInt64};
  const Dataset right = Dataset::Range(4).Batch(2).Map(Double, spec);
  EXPECT_EQ(ToString(right.element_spec().leaf()), "int64 (None,)");
  EXPECT_EQ(ReadNumbers(right), (Numbers{0, 2, 4, 6}));
  const Dataset wrong = Dataset::Range(4).Map(Double, spec);
  ExpectError([&] { wrong.MakeIterator().GetNext(); }, Code::kInvalidArgument,
              "[Map] got an element int64 (), wanted int64 (None,)");
}

TEST(MapTest, FunctionRefusingZerosNeedsASpec) {
  const Dataset refuses = Dataset::Range(1, 3).Map([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 0) throw OutOfRange("[Lookup] no 0");
    return x;
  });
  EXPECT_EQ(ReadNumbers(refuses), (Numbers{1, 2}));
  ExpectError([&] { refuses.element_spec(); }, Code::kInvalidArgument,
              "give its output_spec: [Lookup] no 0");
}

TEST(MapTest, ErrorCostsOneElement) {
  const Dataset failing = Dataset::Range(3).Map([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 1) throw Unavailable("[Read] busy");
    return x;
  });
  DatasetIterator iterator = failing.MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 0);
  ExpectError([&] { iterator.GetNext(); }, Code::kUnavailable, "busy");
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 2);
  ExpectError([&] { iterator.GetNext(); }, Code::kOutOfRange,
              "End of sequence");
}

TEST(MapTest, NeedsAFunction) {
  ExpectError([] { Dataset::Range(1).Map(nullptr); }, Code::kInvalidArgument,
              "[Map] there is no function");
}

TEST(FilterTest, KeepsMatchingElements) {
  const Dataset even = Dataset::Range(7).Filter(
      [](const Structure& x) { return x.leaf().item<int64_t>() % 2 == 0; });
  EXPECT_EQ(ReadNumbers(even), (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(even.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(even.element_spec().leaf()), "int64 ()");
}

TEST(FilterTest, MayKeepNothing) {
  const Dataset none =
      Dataset::Range(7).Filter([](const Structure&) { return false; });
  EXPECT_EQ(ReadNumbers(none), Numbers{});
}

TEST(FilterTest, ErrorCostsOneElement) {
  const Dataset failing = Dataset::Range(3).Filter([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 1) throw DataLoss("[Read] damaged");
    return true;
  });
  DatasetIterator iterator = failing.MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 0);
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 2);
}

TEST(FilterTest, NeedsAPredicate) {
  ExpectError([] { Dataset::Range(1).Filter(nullptr); }, Code::kInvalidArgument,
              "[Filter] there is no function");
}

TEST(ZipTest, EndsWithTheShortest) {
  const Dataset pairs =
      Dataset::Zip({Dataset::Range(3), Dataset::Range(10, 12)});
  EXPECT_EQ(ReadAll(pairs), (Texts{"(0, 10)", "(1, 11)"}));
  EXPECT_EQ(pairs.cardinality(), 2);
}

TEST(ZipTest, StaysAtTheEnd) {
  const Dataset pairs = Dataset::Zip({Dataset::Range(3), Dataset::Range(0)});
  DatasetIterator iterator = pairs.MakeIterator();
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
}

TEST(ZipTest, Cardinality) {
  const Dataset some = Dataset::Range(2);
  const Dataset infinite = some.Repeat();
  const Dataset unknown = some.Filter([](const Structure&) { return true; });
  EXPECT_EQ(Dataset::Zip({infinite, some}).cardinality(), 2);
  EXPECT_EQ(Dataset::Zip({infinite, infinite}).cardinality(),
            kInfiniteCardinality);
  EXPECT_EQ(Dataset::Zip({infinite, unknown}).cardinality(),
            kUnknownCardinality);
}

TEST(ZipTest, DifferentBatchSizesStayAsTheyAre) {
  const Dataset pairs =
      Dataset::Zip({Dataset::Range(2).Batch(1), Dataset::Range(4).Batch(2)});
  EXPECT_EQ(ReadAll(pairs), (Texts{"([0], [0, 1])", "([1], [2, 3])"}));
}

TEST(ZipTest, OfNothingIsRefused) {
  ExpectError([] { Dataset::Zip({}); }, Code::kInvalidArgument,
              "[Zip] there are no datasets");
}

TEST(EnumerateTest, CountsFromStart) {
  const Dataset letters =
      Dataset::FromTensorSlices(Tensor::FromVector<std::string>({"a", "b"}));
  EXPECT_EQ(ReadAll(letters.Enumerate()), (Texts{"(0, 'a')", "(1, 'b')"}));
  EXPECT_EQ(ReadAll(letters.Enumerate(5)), (Texts{"(5, 'a')", "(6, 'b')"}));
  EXPECT_EQ(ReadAll(letters.Enumerate(-1)), (Texts{"(-1, 'a')", "(0, 'b')"}));
}

TEST(EnumerateTest, KeepsCardinality) {
  EXPECT_EQ(Dataset::Range(3).Enumerate().cardinality(), 3);
  const Dataset unknown =
      Dataset::Range(3).Filter([](const Structure&) { return true; });
  EXPECT_EQ(unknown.Enumerate().cardinality(), kUnknownCardinality);
}

TEST(EnumerateTest, SpecIsAPair) {
  const SpecStructure spec =
      Dataset::Range(4).Batch(2).Enumerate().element_spec();
  EXPECT_EQ(ToString(spec[0].leaf()), "int64 ()");
  EXPECT_EQ(ToString(spec[1].leaf()), "int64 (None,)");
}

TEST(ConcatenateTest, OneAfterTheOther) {
  const Dataset both = Dataset::Range(2).Concatenate(Dataset::Range(5, 7));
  EXPECT_EQ(ReadNumbers(both), (Numbers{0, 1, 5, 6}));
  EXPECT_EQ(both.cardinality(), 4);
}

TEST(ConcatenateTest, EitherMayBeEmpty) {
  const Dataset none = Dataset::Range(0);
  EXPECT_EQ(ReadNumbers(none.Concatenate(Dataset::Range(2))), (Numbers{0, 1}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(2).Concatenate(none)), (Numbers{0, 1}));
  EXPECT_EQ(ReadNumbers(none.Concatenate(none)), Numbers{});
}

TEST(ConcatenateTest, CardinalityOfInfiniteAndUnknown) {
  const Dataset some = Dataset::Range(2);
  const Dataset unknown = some.Filter([](const Structure&) { return true; });
  EXPECT_EQ(some.Concatenate(some.Repeat()).cardinality(),
            kInfiniteCardinality);
  EXPECT_EQ(some.Concatenate(unknown).cardinality(), kUnknownCardinality);
}

TEST(ConcatenateTest, DimensionsThatDifferAreUnknown) {
  const Dataset a = Dataset::Range(4).Batch(2, true);
  const Dataset b = Dataset::Range(3).Batch(3, true);
  EXPECT_EQ(ToString(a.Concatenate(b).element_spec().leaf()), "int64 (None,)");
  EXPECT_EQ(ReadAll(a.Concatenate(b)),
            (Texts{"[0, 1]", "[2, 3]", "[0, 1, 2]"}));
}

TEST(ConcatenateTest, RefusesDifferentElements) {
  const Dataset a = Dataset::Range(4);
  const Dataset b = Dataset::FromTensors(Tensor::Scalar(1.0f));
  ExpectError([&] { a.Concatenate(b); }, Code::kInvalidArgument,
              "[Concatenate] int64 () and float32 ()");
  const Dataset pair = Dataset::Zip({a, a});
  ExpectError([&] { a.Concatenate(pair); }, Code::kInvalidArgument,
              "[Concatenate]");
  const Dataset made = a.Map([](const Structure& x) { return x; });
  ExpectError([&] { made.Concatenate(b).element_spec(); },
              Code::kInvalidArgument, "[Concatenate]");
}

TEST(RepeatTest, RunsPassAfterPass) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(2).Repeat(3)),
            (Numbers{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(ReadNumbers(Generated(2).Repeat(2)), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(2).Repeat(0)), Numbers{});
}

TEST(RepeatTest, Forever) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(3).Repeat().Take(7)),
            (Numbers{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(ReadNumbers(Generated(3).Repeat(-1).Take(4)),
            (Numbers{0, 1, 2, 0}));
}

TEST(RepeatTest, EmptyInputEndsForever) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(0).Repeat()), Numbers{});
  const Dataset none =
      Dataset::Range(5).Filter([](const Structure&) { return false; });
  EXPECT_EQ(ReadNumbers(none.Repeat()), Numbers{});
}

TEST(RepeatTest, BatchesBeforeAndAfter) {
  EXPECT_EQ(ReadAll(Dataset::Range(3).Batch(2).Repeat(2)),
            (Texts{"[0, 1]", "[2]", "[0, 1]", "[2]"}));
  EXPECT_EQ(ReadAll(Dataset::Range(3).Repeat(2).Batch(2)),
            (Texts{"[0, 1]", "[2, 0]", "[1, 2]"}));
}

TEST(RepeatTest, Cardinality) {
  const Dataset three = Dataset::Range(3);
  EXPECT_EQ(three.Repeat(2).cardinality(), 6);
  EXPECT_EQ(three.Repeat(0).cardinality(), 0);
  EXPECT_EQ(three.Repeat().cardinality(), kInfiniteCardinality);
  EXPECT_EQ(Dataset::Range(0).Repeat().cardinality(), 0);
  EXPECT_EQ(three.Repeat().Repeat(2).cardinality(), kInfiniteCardinality);
  EXPECT_EQ(three.Repeat(INT64_MAX).cardinality(), kInfiniteCardinality);
  const Dataset unknown = three.Filter([](const Structure&) { return true; });
  EXPECT_EQ(unknown.Repeat(2).cardinality(), kUnknownCardinality);
  EXPECT_EQ(unknown.Repeat().cardinality(), kInfiniteCardinality);
}

TEST(TakeTest, ReadsTheFirst) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Take(2)), (Numbers{0, 1}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Take(0)), Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::Range(3).Take(9)), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(3).Take(-1)), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadAll(Dataset::Range(5).Batch(2).Take(1)), Texts{"[0, 1]"});
}

TEST(TakeTest, ReadsNoMoreThanItReturns) {
  auto calls = std::make_shared<int>(0);
  const Dataset counted = Dataset::Range(9).Map([calls](const Structure& x) {
    ++*calls;
    return x;
  });
  EXPECT_EQ(ReadNumbers(counted.Take(2)), (Numbers{0, 1}));
  EXPECT_EQ(*calls, 2);
}

TEST(TakeTest, Cardinality) {
  const Dataset five = Dataset::Range(5);
  EXPECT_EQ(five.Take(2).cardinality(), 2);
  EXPECT_EQ(five.Take(9).cardinality(), 5);
  EXPECT_EQ(five.Take(-1).cardinality(), 5);
  EXPECT_EQ(five.Repeat().Take(9).cardinality(), 9);
  const Dataset unknown = five.Filter([](const Structure&) { return true; });
  EXPECT_EQ(unknown.Take(2).cardinality(), kUnknownCardinality);
}

TEST(SkipTest, DropsTheFirst) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Skip(3)), (Numbers{3, 4}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Skip(0)), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Skip(9)), Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Skip(-1)), Numbers{});
  EXPECT_EQ(ReadAll(Dataset::Range(5).Batch(2).Skip(2)), Texts{"[4]"});
}

TEST(SkipTest, Cardinality) {
  EXPECT_EQ(Dataset::Range(5).Skip(3).cardinality(), 2);
  EXPECT_EQ(Dataset::Range(5).Skip(9).cardinality(), 0);
  EXPECT_EQ(Dataset::Range(5).Skip(-1).cardinality(), 0);
  EXPECT_EQ(Dataset::Range(5).Repeat().Skip(3).cardinality(),
            kInfiniteCardinality);
}

TEST(ShardTest, TakesEveryNth) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(7).Shard(3, 0)), (Numbers{0, 3, 6}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(7).Shard(3, 2)), (Numbers{2, 5}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(2).Shard(5, 4)), Numbers{});
}

TEST(ShardTest, WorksOnElementsThatAreNotRows) {
  EXPECT_EQ(ReadAll(Dataset::Range(6).Batch(2).Shard(2, 1)), Texts{"[2, 3]"});
}

TEST(ShardTest, TogetherTheShardsAreTheWhole) {
  for (int64_t n = 0; n < 12; ++n) {
    for (int64_t shards = 1; shards < 6; ++shards) {
      int64_t counted = 0, read = 0;
      for (int64_t i = 0; i < shards; ++i) {
        const Dataset shard = Dataset::Range(n).Shard(shards, i);
        counted += shard.cardinality();
        read += std::ssize(ReadNumbers(shard));
      }
      EXPECT_EQ(counted, n);
      EXPECT_EQ(read, n);
    }
  }
}

TEST(ShardTest, LongInputs) {
  const Numbers numbers = ReadNumbers(Dataset::Range(5000).Shard(2000, 999));
  EXPECT_EQ(numbers, (Numbers{999, 2999, 4999}));
}

TEST(ShardTest, RefusesIndexOutOfRange) {
  ExpectError([] { Dataset::Range(1).Shard(0, 0); }, Code::kInvalidArgument,
              "[Shard] number of shards must be positive, got 0");
  ExpectError([] { Dataset::Range(1).Shard(2, 2); }, Code::kInvalidArgument,
              "[Shard] index must be in 0..1, got 2");
  ExpectError([] { Dataset::Range(1).Shard(2, -1); }, Code::kInvalidArgument,
              "got -1");
}

}  // namespace
}  // namespace lockstep
