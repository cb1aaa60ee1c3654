// Expected values: TensorFlow 2.21.
#include <gtest/gtest.h>

#include <stdexcept>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;

// 0 to 4, of which 2 is damaged.
Dataset Damaged() {
  return Dataset::Range(5).Map([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 2) throw DataLoss("[Read] damaged");
    return x;
  });
}

TEST(IgnoreErrorsTest, DropsTheElement) {
  const Dataset rest = Damaged().IgnoreErrors();
  EXPECT_EQ(ReadAll(rest), (Texts{"0", "1", "3", "4"}));
  EXPECT_EQ(rest.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(rest.element_spec().leaf()), "int64 ()");
}

// TensorFlow gives [4] in place of [3, 4]: it makes the map and the batch one
// operation, and an error costs all elements of the batch. Here it costs those
// that were read for it.
TEST(IgnoreErrorsTest, DropsWhatABatchHasRead) {
  EXPECT_EQ(ReadAll(Damaged().Batch(2).IgnoreErrors()),
            (Texts{"[0, 1]", "[3, 4]"}));
  EXPECT_EQ(ReadAll(Damaged().Batch(4).IgnoreErrors()), (Texts{"[3, 4]"}));
}

TEST(IgnoreErrorsTest, DropsOtherExceptions) {
  const Dataset failing =
      Dataset::Range(3).Map([](const Structure& x) -> Structure {
        if (x.leaf().item<int64_t>() == 0) throw std::runtime_error("oops");
        return x;
      });
  EXPECT_EQ(ReadAll(failing.IgnoreErrors()), (Texts{"1", "2"}));
}

TEST(IgnoreErrorsTest, ThrowsAnErrorThatDoesNotEnd) {
  const Dataset wrong = Dataset::Range(2).AssertCardinality(3).IgnoreErrors();
  DatasetIterator numbers = wrong.MakeIterator();
  EXPECT_EQ(ToText(numbers.GetNext()), "0");
  EXPECT_EQ(ToText(numbers.GetNext()), "1");
  ExpectError([&] { numbers.GetNext(); }, Code::kFailedPrecondition,
              "expected 3, got 2 elements");
}

}  // namespace
}  // namespace lockstep
