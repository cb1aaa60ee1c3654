#include "reference/autodiff/indexed_slices.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/kernels/movement/movement.h"

namespace lockstep {
namespace {

Tensor Ids(const std::vector<int64_t>& ids) { return Tensor::FromVector(ids); }

const IndexedSlices kSlices(Tensor::FromVector<float>({1, 1, 2, 2, 5, 5},
                                                      Shape{3, 2}),
                            Ids({3, 0, 3}), Shape{4, 2});

TEST(IndexedSlicesTest, ToDense) {
  EXPECT_EQ(ToString(kSlices.ToDense()), "[[2, 2], [0, 0], [0, 0], [6, 6]]");
  const IndexedSlices merged = kSlices.Merged();
  EXPECT_EQ(ToString(merged.values()), "[[2, 2], [6, 6]]");
  EXPECT_EQ(merged.indices().ToVector<int64_t>(), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(merged.dense_shape(), (Shape{4, 2}));
}

TEST(IndexedSlicesTest, MergesRowsOfALargeTable) {
  const IndexedSlices of_few(kSlices.values(), Ids({999, 7, 999}),
                             Shape{1000, 2});
  const IndexedSlices merged = of_few.Merged();
  EXPECT_EQ(ToString(merged.values()), "[[2, 2], [6, 6]]");
  EXPECT_EQ(merged.indices().ToVector<int64_t>(),
            (std::vector<int64_t>{7, 999}));
}

TEST(IndexedSlicesTest, MayBeEmpty) {
  const IndexedSlices none(Tensor::Zeros(Shape{0, 2}), Ids({}), Shape{4, 2});
  EXPECT_EQ(none.Merged().indices().num_elements(), 0);
  EXPECT_EQ(ToString(Joined({none, kSlices}).ToDense()),
            ToString(kSlices.ToDense()));
}

TEST(IndexedSlicesTest, RefusesWrongArguments) {
  const Tensor values = Tensor::Zeros(Shape{2, 2});
  EXPECT_EQ(CodeOf([&] {
              IndexedSlices(values, Ids({1}), Shape{4, 2});
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] {
              IndexedSlices(values, Ids({0, 1}), Shape{4, 3});
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(
      CodeOf([&] {
        IndexedSlices(values, Tensor::FromVector<int32_t>({0, 1}), Shape{4, 2});
      }),
      Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] {
              IndexedSlices(values, Ids({0, 4}), Shape{4, 2}).ToDense();
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] {
              IndexedSlices(values, Ids({-1, 0}), Shape{4, 2}).Merged();
            }),
            Code::kInvalidArgument);
}

// Rows of a table, as ops::Gather records them.
Tensor LookUp(const Tensor& table, const Tensor& ids) {
  const Tensor rows = kernels::Gather(table, ids);
  RecordGather(table, table.shape(), ids, rows);
  return rows;
}

class SparseGradientTest : public testing::Test {
 protected:
  // d (3 rows[ids]) / d table; `more` may use the table too.
  std::optional<VariableGradient> Of(const std::vector<Tensor>& ids,
                                     bool used_whole = false) {
    GradientTape tape;
    Tensor sum;
    for (const Tensor& some : ids) Add(LookUp(table_->Read(), some), sum);
    if (used_whole) Add(table_->Read(), sum);
    heard_.clear();
    return tape.SparseGradient(sum, {table_},
                               [this](size_t, const auto& gradient) {
                                 heard_.push_back(gradient.has_value());
                               })[0];
  }

  VariablePtr table_ = MakeVariable({.initial_value = [] {
    return Tensor::Zeros(Shape{4, 2});
  }});
  std::vector<bool> heard_;

 private:
  // sum += 3 * the sum of x, recorded on the tapes.
  static void Add(const Tensor& x, Tensor& sum) {
    const Tensor next = Tensor::Scalar(0.0f);
    RecordOperation(
        {x, sum}, next,
        [shape = x.shape()](const Tensor& dy, std::span<const bool>) {
          return Gradients{Tensor::Full(shape, 3.0f), dy};
        });
    sum = next;
  }
};

TEST_F(SparseGradientTest, HasTheGatheredRows) {
  const auto gradient = Of({Ids({2, 2}).Reshape(Shape{2, 1}), Ids({0})});
  const auto& slices = std::get<IndexedSlices>(*gradient);
  EXPECT_EQ(slices.indices().num_elements(), 3);
  EXPECT_EQ(ToString(slices.ToDense()), "[[3, 3], [0, 0], [6, 6], [0, 0]]");
  EXPECT_EQ(heard_, std::vector<bool>{false});
}

TEST_F(SparseGradientTest, IsDenseAfterOtherUses) {
  const auto gradient = Of({Ids({2, 2})}, /*used_whole=*/true);
  EXPECT_EQ(ToString(std::get<Tensor>(*gradient)),
            "[[3, 3], [3, 3], [9, 9], [3, 3]]");
  EXPECT_EQ(heard_, std::vector<bool>{true});
}

TEST_F(SparseGradientTest, GradientIsDense) {
  GradientTape tape;
  const Tensor rows = LookUp(table_->Read(), Ids({1, 1}));
  EXPECT_EQ(ToString(*tape.Gradient(rows, {table_})[0]),
            "[[0, 0], [2, 2], [0, 0], [0, 0]]");
}

TEST_F(SparseGradientTest, IsNulloptWithoutLookups) {
  GradientTape tape;
  table_->Read();
  const Tensor other = Tensor::Scalar(1.0f);
  tape.Watch(other);
  EXPECT_FALSE(tape.SparseGradient(other, {table_})[0].has_value());
}

}  // namespace
}  // namespace lockstep
