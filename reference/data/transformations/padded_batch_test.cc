#include <gtest/gtest.h>

#include <cmath>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

// Elements [0], [1, 1], [2, 2, 2] ...: element i is i repeated i + 1 times.
Dataset Growing(int64_t count) {
  return Dataset::Range(count).Map([](const Structure& x) -> Structure {
    const int64_t i = x.leaf().item<int64_t>();
    return Tensor::Full<int64_t>(Shape{i + 1}, i);
  });
}

TEST(PaddedBatchTest, PadsToTheLongestOfTheBatch) {
  EXPECT_EQ(ReadAll(Growing(3).PaddedBatch(2, -1)),
            (Texts{"[[0, -1], [1, 1]]", "[[2, 2, 2]]"}));
  EXPECT_EQ(ReadAll(Growing(3).PaddedBatch(2, 0, true)),
            Texts{"[[0, 0], [1, 1]]"});
}

TEST(PaddedBatchTest, PadsEveryAxis) {
  const Dataset squares = Dataset::Range(2).Map([](const Structure& x) {
    const int64_t side = x.leaf().item<int64_t>() + 1;
    return Structure(Tensor::Full<float>(Shape{side, side}, 7));
  });
  EXPECT_EQ(ReadAll(squares.PaddedBatch(2)),
            Texts{"[[[7, 0], [0, 0]], [[7, 7], [7, 7]]]"});
}

TEST(PaddedBatchTest, EqualElementsNeedNoPadding) {
  EXPECT_EQ(ReadAll(Dataset::Range(3).PaddedBatch(2)),
            (Texts{"[0, 1]", "[2]"}));
}

TEST(PaddedBatchTest, ErrorsAreTyped) {
  ExpectError([] { Growing(3).PaddedBatch(0); }, Code::kInvalidArgument,
              "[PaddedBatch] batch size must be positive, got 0");
  const Dataset words = Growing(2).Map([](const Structure& x) -> Structure {
    return Tensor::Empty(x.leaf().shape(), DType::kString);
  });
  ExpectError([&] { words.PaddedBatch(2).MakeIterator().GetNext(); },
              Code::kInvalidArgument, "[PaddedBatch] strings");
  const Dataset ranks = Dataset::Range(2).Map([](const Structure& x) {
    return x.leaf().item<int64_t>() == 0
               ? x
               : Structure(x.leaf().Reshape(Shape{1}));
  });
  ExpectError([&] { ranks.PaddedBatch(2).MakeIterator().GetNext(); },
              Code::kInvalidArgument, "[PaddedBatch] int64 () and int64 (1,)");
}

TEST(PaddedBatchTest, APaddingThatTheTypeCannotHoldIsAnError) {
  const auto first = [](const Dataset& dataset) {
    dataset.MakeIterator().GetNext();
  };
  ExpectError([&] { first(Growing(2).PaddedBatch(2, 2.5)); },
              Code::kInvalidArgument,
              "[PaddedBatch] int64 cannot be padded by 2.5");
  const Dataset bytes = Growing(2).Map([](const Structure& x) -> Structure {
    return x.leaf().Cast(DType::kUInt8);
  });
  for (const double padding : {-1.0, 256.0, std::nan("")}) {
    ExpectError([&] { first(bytes.PaddedBatch(2, padding)); },
                Code::kInvalidArgument, "[PaddedBatch] uint8 cannot be padded");
  }
  EXPECT_EQ(ReadAll(bytes.PaddedBatch(2, 255)), Texts{"[[0, 255], [1, 1]]"});
}

TEST(PaddedBatchTest, SpecAndCardinality) {
  const SpecStructure row = TensorSpec{Shape{kUnknownDim}, DType::kInt64};
  const Dataset rows =
      Dataset::Range(5).Map([](const Structure& x) { return x; }, row);
  EXPECT_EQ(ToString(rows.PaddedBatch(2).element_spec().leaf()),
            "int64 (None, None)");
  EXPECT_EQ(rows.PaddedBatch(2).cardinality(), 3);
}

}  // namespace
}  // namespace lockstep
