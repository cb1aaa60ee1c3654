#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "reference/base/file_testing.h"
#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(CacheTest, ReadsItsInputOnce) {
  auto calls = std::make_shared<int>(0);
  const Dataset cached = Dataset::Range(3)
                             .Map([calls](const Structure& x) {
                               ++*calls;
                               return x;
                             })
                             .Cache();
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
  EXPECT_EQ(*calls, 3);
}

TEST(CacheTest, KeepsTheOrderOfAShuffleBelow) {
  const Dataset cached = Dataset::Range(50).Shuffle(50, 3).Cache();
  const Numbers first = ReadNumbers(cached);
  EXPECT_EQ(ReadNumbers(cached), first);
  EXPECT_EQ(ReadNumbers(cached), first);
}

TEST(CacheTest, AnIncompletePassIsNotKept) {
  auto calls = std::make_shared<int>(0);
  const Dataset cached = Dataset::Range(3)
                             .Map([calls](const Structure& x) {
                               ++*calls;
                               return x;
                             })
                             .Cache();
  cached.MakeIterator().GetNext();
  EXPECT_EQ(*calls, 1);
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
  EXPECT_EQ(*calls, 4);
}

TEST(CacheTest, APassWithAnErrorIsNotKept) {
  auto fail = std::make_shared<bool>(true);
  const Dataset cached = Dataset::Range(3)
                             .Map([fail](const Structure& x) {
                               if (*fail && x.leaf().item<int64_t>() == 1) {
                                 throw DataLoss("[Read] damaged");
                               }
                               return x;
                             })
                             .Cache();
  DatasetIterator iterator = cached.MakeIterator();
  iterator.GetNext();
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 2);
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  *fail = false;
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
}

TEST(CacheTest, StaysAtTheEnd) {
  DatasetIterator iterator = Dataset::Range(0).Cache().MakeIterator();
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
}

TEST(CacheTest, SpecAndCardinalityAreTheInputs) {
  const Dataset cached = Dataset::Range(5).Batch(2).Cache();
  EXPECT_EQ(cached.cardinality(), 3);
  EXPECT_EQ(ToString(cached.element_spec().leaf()), "int64 (None,)");
}

using Names = std::vector<std::string>;

constexpr char kData[] = "c.data-00000-of-00001";
constexpr char kIndex[] = "c.index";

class FileCacheTest : public testing::Test {
 protected:
  // 0, 1, ..., counting the elements made.
  Dataset Counted(int64_t count) {
    return Dataset::Range(count).Map([calls = calls_](const Structure& x) {
      ++*calls;
      return x;
    });
  }

  const TestFolder folder_;
  const std::string file_ = folder_ / "c";
  const std::shared_ptr<int> calls_ = std::make_shared<int>(0);
};

TEST_F(FileCacheTest, CompletePassLeavesAFile) {
  const Dataset cached = Dataset::Range(3).Cache(file_);
  EXPECT_EQ(folder_.names(), Names{});
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
  EXPECT_EQ(folder_.names(), (Names{kData, kIndex}));
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
}

TEST_F(FileCacheTest, LaterPassesDoNotReadTheInput) {
  const Dataset cached = Counted(3).Cache(file_);
  ReadNumbers(cached);
  EXPECT_EQ(*calls_, 3);
  // Finding the spec calls the function once.
  cached.element_spec();
  *calls_ = 0;
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
  EXPECT_EQ(*calls_, 0);
}

TEST_F(FileCacheTest, AnotherDatasetReadsTheFile) {
  ReadNumbers(Dataset::Range(3).Cache(file_));
  EXPECT_EQ(ReadNumbers(Dataset::Range(100, 110).Cache(file_)),
            (Numbers{0, 1, 2}));
}

TEST_F(FileCacheTest, DeletedFileIsWrittenAgain) {
  const Dataset cached = Dataset::Range(3).Cache(file_);
  ReadNumbers(cached);
  std::filesystem::remove(folder_ / kIndex);
  std::filesystem::remove(folder_ / kData);
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
  EXPECT_EQ(folder_.names(), (Names{kData, kIndex}));
}

TEST_F(FileCacheTest, KeepsEveryTypeAndForm) {
  const Dataset rows = Dataset::FromTensorSlices(Structure::Dict(
      {{"flag", Tensor::FromVector<bool>({true, false})},
       {"half", Tensor::FromVector<float>({0.5F, 1.5F}).Cast(DType::kFloat16)},
       {"text", Tensor::FromVector<std::string>({"a", ""})}}));
  const Texts expected = ReadAll(rows);
  const Dataset cached = rows.Cache(file_);
  EXPECT_EQ(ReadAll(cached), expected);
  EXPECT_EQ(ReadAll(cached), expected);
}

TEST_F(FileCacheTest, BatchesOfDifferentSizesAreKept) {
  const Dataset cached = Dataset::Range(5).Batch(2).Cache(file_);
  const Texts expected = {"[0, 1]", "[2, 3]", "[4]"};
  EXPECT_EQ(ReadAll(cached), expected);
  EXPECT_EQ(ReadAll(cached), expected);
  EXPECT_EQ(cached.cardinality(), 3);
  EXPECT_EQ(ToString(cached.element_spec().leaf()), "int64 (None,)");
}

TEST_F(FileCacheTest, ElevenComponentsKeepTheirOrder) {
  std::vector<Structure> components;
  for (int i = 0; i < 11; ++i) components.emplace_back(Tensor::Scalar(i));
  const Dataset cached =
      Dataset::FromTensors(Structure::Tuple(components)).Cache(file_);
  const Texts expected = {"(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)"};
  EXPECT_EQ(ReadAll(cached), expected);
  EXPECT_EQ(ReadAll(cached), expected);
}

TEST_F(FileCacheTest, ReadsWhatTensorFlowWrote) {
  const Dataset other = Dataset::Range(1).Map([](const Structure&) {
    return Structure::Tuple({Tensor::FromVector<float>({0, 0}),
                             Tensor::Scalar(std::string("unread"))});
  });
  EXPECT_EQ(
      ReadAll(other.Cache("reference/data/transformations/testdata/pairs")),
      (Texts{"([0, 10], '0')", "([0.5, 10.5], '1')", "([1, 11], '2')"}));
}

TEST_F(FileCacheTest, AnIncompletePassIsNotKept) {
  const Dataset cached = Dataset::Range(3).Cache(file_);
  cached.MakeIterator().GetNext();
  EXPECT_EQ(folder_.names(), Names{});
}

TEST_F(FileCacheTest, APassWithAnErrorIsNotKept) {
  const Dataset cached = Dataset::Range(3)
                             .Map([](const Structure& x) {
                               if (x.leaf().item<int64_t>() == 1) {
                                 throw DataLoss("[Read] damaged");
                               }
                               return x;
                             })
                             .Cache(file_);
  DatasetIterator iterator = cached.MakeIterator();
  iterator.GetNext();
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 2);
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_EQ(folder_.names(), Names{});
}

TEST_F(FileCacheTest, FirstCompletePassIsKept) {
  const Dataset cached = Dataset::Range(2).Cache(file_);
  DatasetIterator slow = Dataset::Range(100, 102).Cache(file_).MakeIterator();
  slow.GetNext();
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1}));
  EXPECT_EQ(slow.GetNext().leaf().item<int64_t>(), 101);
  EXPECT_FALSE(slow.GetNextAsOptional().has_value());
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1}));
  EXPECT_EQ(folder_.names(), (Names{kData, kIndex}));
}

TEST_F(FileCacheTest, StaysAtTheEnd) {
  for (int pass = 0; pass < 2; ++pass) {
    DatasetIterator iterator = Dataset::Range(0).Cache(file_).MakeIterator();
    EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
    EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  }
}

TEST_F(FileCacheTest, RefusesAnotherDatasetsElements) {
  ReadNumbers(Dataset::Range(3).Cache(file_));
  const Dataset floats =
      Dataset::FromTensorSlices(Tensor::FromVector<float>({1}));
  ExpectError([&] { ReadAll(floats.Cache(file_)); }, Code::kInvalidArgument,
              "[Cache]");
  const Dataset pairs = Dataset::Zip({Dataset::Range(3), Dataset::Range(3)});
  ExpectError([&] { ReadAll(pairs.Cache(file_)); }, Code::kInvalidArgument,
              "holds 3 tensors, wanted 2 per element");
}

TEST_F(FileCacheTest, RefusesADamagedFile) {
  ReadNumbers(Dataset::Range(3).Cache(file_));
  std::string bytes = ReadWholeFile(folder_ / kData);
  bytes[9] ^= 1;
  WriteWholeFile(folder_ / kData, bytes);
  DatasetIterator iterator = Dataset::Range(3).Cache(file_).MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 0);
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, kData);
}

TEST_F(FileCacheTest, ErrorsNameTheFile) {
  ExpectError([] { Dataset::Range(3).Cache(""); }, Code::kInvalidArgument,
              "no name");
  const Dataset lost = Dataset::Range(3).Cache(folder_ / "missing/c");
  ExpectError([&] { ReadNumbers(lost); }, Code::kNotFound, "missing/c");
  const Dataset empty = Dataset::FromTensors(Structure::Tuple({}));
  ExpectError([&] { ReadAll(empty.Cache(file_)); }, Code::kInvalidArgument,
              "without a tensor");
}

}  // namespace
}  // namespace lockstep
