// Workers that Gloo connects get the results of ranks in one process.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <iterator>
#include <vector>

#include "reference/collectives/gloo/gloo_testing.h"

namespace lockstep {
namespace {

// Worker w's values: integers so small that no sum is rounded.
Tensor SmallIntegers(const Shape& shape, DType dtype, int seed) {
  std::vector<int64_t> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = (i * 7 + seed) % 13;
  return Tensor::FromVector(values, shape).Cast(dtype);
}

constexpr DType kNumbers[] = {
    DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kFloat16,
    DType::kInt32,   DType::kInt64,   DType::kUInt8};

// Sizes that fit into a message, that need several steps, and between.
std::vector<Shape> ArbitraryShapes() {
  std::vector<Shape> shapes;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    const int64_t rows = *rc::gen::element<int64_t>(0, 1, 3, 17, 1000, 9000);
    const int64_t columns = *rc::gen::inRange<int64_t>(0, 40);
    shapes.push_back(Shape{rows, columns});
  }
  return shapes;
}

using Results = std::vector<TensorList>;

// Every operation once, on every rank.
Results AllOperations(Ranks& ranks, const std::vector<TensorList>& lists,
                      const std::vector<TensorList>& parts, ReduceOp op) {
  Results results(ranks.size());
  ranks.Run([&](Group& group) {
    const int r = group.rank();
    TensorList& mine = results[r];
    const auto keep = [&](const TensorList& list) {
      mine.insert(mine.end(), list.begin(), list.end());
    };
    keep(group.AllReduce(op, lists[r], {}).Wait());
    keep(group.AllReduce(op, lists[r], {.overlapped = true}).Wait());
    mine.push_back(group.ReduceScatter(op, parts[r], {}).Wait());
    for (const TensorList& list : group.AllGather(parts[r], {}).Wait()) {
      keep(list);
    }
    keep(group.Broadcast(lists[r], ranks.size() - 1, {}).Wait());
  });
  return results;
}

// Both add 16-bit floats in float32 and round once.
RC_GTEST_PROP(GlooValuesTest, GivesTheBitsOfRanksOfOneProcess, ()) {
  const int size = *rc::gen::inRange(1, 5);
  const auto op = *rc::gen::element(ReduceOp::kSum, ReduceOp::kMean);
  std::vector<TensorList> lists(size), parts(size);
  for (const Shape& shape : ArbitraryShapes()) {
    const DType dtype = *rc::gen::elementOf(
        std::vector<DType>(std::begin(kNumbers), std::end(kNumbers)));
    for (int r = 0; r < size; ++r) {
      lists[r].push_back(SmallIntegers(shape, dtype, r));
    }
  }
  for (int part = 0; part < size; ++part) {
    const Shape shape{*rc::gen::element<int64_t>(0, 5, 3000, 300000)};
    for (int r = 0; r < size; ++r) {
      parts[r].push_back(SmallIntegers(shape, DType::kFloat32, r + part));
    }
  }
  const auto gloo = GlooRanks::Make(size);
  Ranks in_process(size);
  const Results got = AllOperations(*gloo, lists, parts, op);
  const Results wanted = AllOperations(in_process, lists, parts, op);
  for (int r = 0; r < size; ++r) {
    RC_ASSERT(got[r].size() == wanted[r].size());
    for (size_t i = 0; i < got[r].size(); ++i) {
      RC_ASSERT(BitwiseEqual(got[r][i], wanted[r][i]));
    }
  }
}

}  // namespace
}  // namespace lockstep
