#include "reference/collectives/cross_device_ops.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/random.h"
#include "reference/base/threads.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/in_process_group.h"
#include "reference/collectives/piece_list.h"
#include "reference/collectives/reduce_op.h"
#include "reference/collectives/sum_kernel.h"

namespace lockstep {
namespace {

TEST(ReduceOpTest, NamesAreReadInAnyCase) {
  for (const char* name : {"sum", "SUM", "Sum"}) {
    EXPECT_EQ(ParseReduceOp(name), ReduceOp::kSum);
  }
  for (const char* name : {"mean", "MEAN", "mEAN"}) {
    EXPECT_EQ(ParseReduceOp(name), ReduceOp::kMean);
  }
  EXPECT_EQ(ReduceOpName(ReduceOp::kSum), "SUM");
  EXPECT_EQ(ReduceOpName(ReduceOp::kMean), "MEAN");
}

TEST(ReduceOpTest, RefusesOtherNames) {
  for (const char* name : {"MAX", "", "sums"}) {
    try {
      ParseReduceOp(name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
    }
  }
}

}  // namespace
}  // namespace lockstep

namespace lockstep::collectives_internal {
namespace {

using Piece = std::array<int64_t, 3>;  // tensor, first element, count

std::vector<Piece> Pieces(const PieceList& list, int64_t begin, int64_t end) {
  std::vector<Piece> pieces;
  list.ForEach(begin, end, [&](size_t tensor, int64_t first, int64_t count) {
    pieces.push_back({static_cast<int64_t>(tensor), first, count});
  });
  return pieces;
}

TEST(PieceListTest, CutsAtUnitsOf64Bytes) {
  // 40 floats need 3 units, no elements 0, 3 doubles 1.
  const PieceList list({Tensor::Zeros(Shape{40}), Tensor::Zeros(Shape{0}),
                        Tensor::Zeros(Shape{3}, DType::kFloat64)});
  EXPECT_EQ(list.units(), 4);
  EXPECT_EQ(list.bytes(), 256);
  EXPECT_EQ(Pieces(list, 0, 4), (std::vector<Piece>{{0, 0, 40}, {2, 0, 3}}));
  EXPECT_EQ(Pieces(list, 0, 2), (std::vector<Piece>{{0, 0, 32}}));
  EXPECT_EQ(Pieces(list, 2, 4), (std::vector<Piece>{{0, 32, 8}, {2, 0, 3}}));
  EXPECT_EQ(Pieces(list, 3, 3), (std::vector<Piece>{}));
}

TEST(PieceListTest, PartsCoverEverythingOnce) {
  std::vector<Tensor> tensors;
  for (int64_t count : {1, 0, 16, 17, 1000, 3, 0}) {
    tensors.push_back(Tensor::Zeros(Shape{count}));
  }
  const PieceList list(tensors);
  for (int parts : {1, 2, 3, 5, 100}) {
    std::vector<int64_t> next(tensors.size(), 0);
    for (int part = 0; part < parts; ++part) {
      for (const Piece& piece : Pieces(list, list.units() * part / parts,
                                       list.units() * (part + 1) / parts)) {
        EXPECT_EQ(piece[1], next[piece[0]]);
        next[piece[0]] += piece[2];
      }
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      EXPECT_EQ(next[i], tensors[i].num_elements()) << parts;
    }
  }
}

TEST(PieceListTest, NoTensorsAreNoPieces) {
  const PieceList list({});
  EXPECT_EQ(list.units(), 0);
  EXPECT_TRUE(Pieces(list, 0, 0).empty());
}

// Long enough for whole groups of vectors of any length, and a remainder.
constexpr int64_t kCount = 1031;

template <typename T>
class SumKernelTest : public testing::Test {};
using NumericTypes =
    testing::Types<float, double, BFloat16, Float16, int32_t, int64_t, uint8_t>;
TYPED_TEST_SUITE(SumKernelTest, NumericTypes);

template <typename T>
std::vector<T> Ramp(int start) {
  std::vector<T> values(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    values[i] = static_cast<T>((i + start) % 50);  // sums of three fit uint8
  }
  return values;
}

TYPED_TEST(SumKernelTest, SumsExactlyIntoEveryOutput) {
  using T = TypeParam;
  const std::vector<T> a = Ramp<T>(0), b = Ramp<T>(7), c = Ramp<T>(13);
  for (const bool stream : {false, true}) {
    alignas(64) T x[kCount];
    alignas(64) T y[kCount];
    SumInto({.dtype = kDTypeOf<T>,
             .count = kCount,
             .inputs = {a.data(), b.data(), c.data()},
             .outputs = {x, y},
             .stream = stream});
    for (int64_t i = 0; i < kCount; ++i) {
      const T expected = static_cast<T>(i % 50 + (i + 7) % 50 + (i + 13) % 50);
      ASSERT_EQ(x[i], expected) << i;
      ASSERT_EQ(y[i], expected) << i;
    }
  }
}

TYPED_TEST(SumKernelTest, MayWriteOverAnInput) {
  using T = TypeParam;
  std::vector<T> a = Ramp<T>(0);
  const std::vector<T> b = Ramp<T>(1);
  SumInto({.dtype = kDTypeOf<T>,
           .count = kCount,
           .inputs = {a.data(), b.data()},
           .outputs = {a.data()}});
  for (int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(a[i], static_cast<T>(i % 50 + (i + 1) % 50)) << i;
  }
}

TEST(SumKernelTest, AddsInTheOrderOfTheInputs) {
  // 1e8 + 1 rounds to 1e8 in float32, so the two orders differ.
  const std::vector<float> big(kCount, 1e8f), small(kCount, 1.0f),
      negative(kCount, -1e8f);
  std::vector<float> out(kCount);
  SumInto({.count = kCount,
           .inputs = {big.data(), small.data(), negative.data()},
           .outputs = {out.data()}});
  EXPECT_EQ(out, std::vector<float>(kCount, 0.0f));
  SumInto({.count = kCount,
           .inputs = {big.data(), negative.data(), small.data()},
           .outputs = {out.data()}});
  EXPECT_EQ(out, std::vector<float>(kCount, 1.0f));
}

TEST(SumKernelTest, MeanDividesOnce) {
  const std::vector<float> a(kCount, 1.0f), b(kCount, 4.0f), c(kCount, 3.0f);
  std::vector<float> out(kCount);
  SumInto({.count = kCount,
           .inputs = {a.data(), b.data(), c.data()},
           .outputs = {out.data()},
           .divisor = 3});
  EXPECT_EQ(out, std::vector<float>(kCount, 8.0f / 3.0f));
}

// With intermediate rounding to bfloat16, 256 + 1 + 1 would be 256.
TEST(SumKernelTest, NarrowFloatsRoundOnce) {
  const BFloat16 a[] = {BFloat16(256)}, b[] = {BFloat16(1)};
  BFloat16 x[1];
  SumInto({.dtype = DType::kBFloat16,
           .count = 1,
           .inputs = {a, b, b},
           .outputs = {x}});
  EXPECT_EQ(static_cast<float>(x[0]), 258);
  SumInto({.dtype = DType::kBFloat16,
           .count = 1,
           .inputs = {a, b, b, a},
           .outputs = {x},
           .divisor = 4});
  EXPECT_EQ(static_cast<float>(x[0]), 128);  // 128.5 is a tie
}

TEST(SumKernelTest, UnalignedStreamsAndShortArraysWork) {
  alignas(64) float buffer[kCount + 1] = {};
  const std::vector<float> a(kCount, 2.0f);
  SumInto({.count = 5,
           .inputs = {a.data()},
           .outputs = {buffer + 1},
           .stream = true});
  EXPECT_EQ(std::accumulate(buffer, buffer + kCount + 1, 0.0f), 10.0f);
  SumInto({.count = 0, .inputs = {a.data()}, .outputs = {buffer}});
  EXPECT_EQ(buffer[0], 0.0f);
}

TEST(SumKernelTest, SignedIntegersWrap) {
  const int32_t most = std::numeric_limits<int32_t>::max();
  const std::vector<int32_t> a(kCount, most), b(kCount, 1);
  std::vector<int32_t> out(kCount);
  SumInto({.dtype = DType::kInt32,
           .count = kCount,
           .inputs = {a.data(), b.data()},
           .outputs = {out.data()}});
  EXPECT_EQ(out,
            std::vector<int32_t>(kCount, std::numeric_limits<int32_t>::min()));
}

TEST(SumKernelTest, OtherTypesBreakTheInvariant) {
  bool value = true;
  EXPECT_THROW(SumInto({.dtype = DType::kBool,
                        .count = 1,
                        .inputs = {&value},
                        .outputs = {&value}}),
               Error);
  EXPECT_THROW(SumInto({.count = 0}), Error);
}

}  // namespace
}  // namespace lockstep::collectives_internal

namespace lockstep {
namespace {

using Lists = std::vector<std::vector<Tensor>>;

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

// Small integers: every sum is exact in float32, in any order.
Tensor RandomIntegers(Random& random, int64_t count) {
  Tensor tensor = Tensor::Empty(Shape{count});
  for (int64_t i = 0; i < count; ++i) {
    tensor.mutable_data<float>()[i] =
        static_cast<float>(random.UniformInt(2001)) - 1000;
  }
  return tensor;
}

Lists RandomLists(Random& random, int replicas,
                  const std::vector<int64_t>& counts) {
  Lists lists(replicas);
  for (std::vector<Tensor>& list : lists) {
    for (int64_t count : counts) list.push_back(RandomIntegers(random, count));
  }
  return lists;
}

// The sum over the replicas, by definition.
std::vector<double> Sum(const Lists& lists, size_t tensor) {
  std::vector<double> sums(lists[0][tensor].num_elements(), 0.0);
  for (const std::vector<Tensor>& list : lists) {
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] += list[tensor].at<float>(i);
    }
  }
  return sums;
}

const CrossDeviceOpsPtr kSharedMemory =
    std::make_shared<SharedMemoryAllReduce>();

RC_GTEST_PROP(CrossDeviceOpsTest, AllReduceIsTheExactSumEverywhere, ()) {
  const int replicas = *rc::gen::inRange(1, 9);
  const auto counts = *rc::gen::container<std::vector<int64_t>>(
      rc::gen::inRange<int64_t>(0, 3000));
  Random random(*rc::gen::arbitrary<uint64_t>());
  const Lists lists = RandomLists(random, replicas, counts);
  for (const auto& ops : AllAlgorithms()) {
    const Lists results = AllReduceTogether(ops, ReduceOp::kSum, lists);
    for (size_t i = 0; i < counts.size(); ++i) {
      const std::vector<double> expected = Sum(lists, i);
      for (const std::vector<Tensor>& result : results) {
        const std::vector<float> got = result[i].ToVector<float>();
        RC_ASSERT(std::vector<double>(got.begin(), got.end()) == expected);
      }
    }
  }
}

TEST(CrossDeviceOpsTest, AllCopiesHaveTheSameBitsEveryTime) {
  Random random(7);
  for (int replicas : {2, 3, 4, 5, 8}) {
    Lists lists(replicas);
    for (std::vector<Tensor>& list : lists) {
      Tensor tensor = Tensor::Empty(Shape{20011});
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        tensor.mutable_data<float>()[i] = random.UniformFloat();
      }
      list.push_back(tensor);
    }
    for (const auto& ops : AllAlgorithms()) {
      const Tensor first = AllReduceTogether(ops, ReduceOp::kMean, lists)[0][0];
      for (int run = 0; run < 3; ++run) {
        for (const auto& result :
             AllReduceTogether(ops, ReduceOp::kMean, lists)) {
          EXPECT_TRUE(BitwiseEqual(result[0], first)) << ops->name();
        }
      }
    }
  }
}

TEST(CrossDeviceOpsTest, ValuesAreAddedInTheStatedOrder) {
  // 1e8 + 1 rounds to 1e8 in float32. Rank order: ((1e8 + 1) - 1e8) + 1 = 1;
  // in groups of two: (1e8 + 1) + (-1e8 + 1) = 1e8 - 1e8 = 0 (-1e8 + 1 rounds).
  const Lists lists = {
      {Row({1e8f})}, {Row({1.0f})}, {Row({-1e8f})}, {Row({1.0f})}};
  const float expected[] = {1.0f, 1.0f, 0.0f};
  const auto algorithms = AllAlgorithms();
  for (size_t i = 0; i < algorithms.size(); ++i) {
    const Lists sums = AllReduceTogether(algorithms[i], ReduceOp::kSum, lists);
    for (const auto& sum : sums) EXPECT_EQ(sum[0].at<float>(0), expected[i]);
  }
}

TEST(CrossDeviceOpsTest, MeanOfIntegersIsFloat64) {
  const Lists lists = {{Tensor::Scalar<int32_t>(1)},
                       {Tensor::Scalar<int32_t>(2)}};
  for (const auto& ops : AllAlgorithms()) {
    for (const auto& mean : AllReduceTogether(ops, ReduceOp::kMean, lists)) {
      EXPECT_EQ(mean[0].item<double>(), 1.5);
    }
    for (const auto& sum : AllReduceTogether(ops, ReduceOp::kSum, lists)) {
      EXPECT_EQ(sum[0].item<int32_t>(), 3);
    }
  }
}

TEST(CrossDeviceOpsTest, LargeListsUseTheTeamAndStream) {
  const int64_t count = (9 << 20) / 4 + 5;  // beyond the streaming threshold
  const Lists lists = {{Tensor::Full(Shape{count}, 1.0f)},
                       {Tensor::Full(Shape{count}, 2.0f)}};
  for (const auto& ops : AllAlgorithms()) {
    Ranks(2, ops).Run([&](Group& group) {
      ThreadTeam team(3);
      ThreadTeamScope scope(&team);
      const TensorList sum =
          group.AllReduce(ReduceOp::kSum, lists[group.rank()], {}).Wait();
      EXPECT_TRUE(BitwiseEqual(sum[0], Tensor::Full(Shape{count}, 3.0f)));
    });
  }
}

TEST(CrossDeviceOpsTest, ResultsAreOnTheirReplicasDevice) {
  SetLogicalCpuDevices(2);
  Device& one = FindDevice("CPU:1");
  const Lists lists = {{Row({1})}, {Row({2}).Clone(one)}};
  const Lists sums = AllReduceTogether(kSharedMemory, ReduceOp::kSum, lists);
  EXPECT_EQ(&sums[0][0].device(), &FindDevice("CPU:0"));
  EXPECT_EQ(&sums[1][0].device(), &one);
  EXPECT_EQ(lists[0][0].at<float>(0), 1);  // inputs are unchanged
}

TEST(CrossDeviceOpsTest, ReduceToAddsInOrder) {
  const Tensor sum =
      ReduceTo(Device::Current(), ReduceOp::kSum, {Row({1, 2}), Row({3, 4})});
  EXPECT_EQ(sum.ToVector<float>(), (std::vector<float>{4, 6}));
  const Tensor mean =
      ReduceTo(Device::Current(), ReduceOp::kMean, {Row({1, 2}), Row({3, 4})});
  EXPECT_EQ(mean.ToVector<float>(), (std::vector<float>{2, 3}));
}

TEST(CrossDeviceOpsTest, BroadcastToSharesOnTheSourceDevice) {
  SetLogicalCpuDevices(2);
  Device& one = FindDevice("CPU:1");
  const Tensor value = Row({1, 2});
  const auto copies = BroadcastTo({&value.device(), &one}, value);
  EXPECT_TRUE(copies[0].SharesMemoryWith(value));
  EXPECT_FALSE(copies[1].SharesMemoryWith(value));
  EXPECT_TRUE(BitwiseEqual(copies[1], value));
  EXPECT_EQ(&copies[1].device(), &one);
}

TEST(CrossDeviceOpsTest, RefusesValuesThatCannotBeReduced) {
  const std::vector<Lists> bad = {
      {{Row({1, 2})}, {Row({1})}},
      {{Row({1})}, {Row({1}), Row({2})}},
      {{Row({1})}, {Tensor::FromVector<int32_t>({1})}},
      {{Tensor::Scalar(true)}, {Tensor::Scalar(true)}},
      {{Tensor::Scalar<std::string>("a")}, {Tensor::Scalar<std::string>("a")}},
      {{Tensor()}, {Tensor()}},
  };
  for (size_t i = 0; i < bad.size(); ++i) {
    try {
      AllReduceTogether(kSharedMemory, ReduceOp::kSum, bad[i]);
      FAIL() << "no error in " << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument) << i;
    }
  }
  EXPECT_THROW(ReduceTo(Device::Current(), ReduceOp::kSum, {}), Error);
}

constexpr std::optional<NcclFeatures> kNone;
constexpr NcclFeatures kOld{.version = 22809, .multi_rank_gpu = true};
constexpr NcclFeatures kNew{.version = 23001, .multi_rank_gpu = true};

TEST(ChooseCrossDeviceOpsTest, FollowsTheTableOfTheHeader) {
  constexpr auto kShared = CrossDeviceOpsKind::kSharedMemory;
  constexpr auto kHierarchical = CrossDeviceOpsKind::kHierarchicalCopy;
  constexpr auto kNccl = CrossDeviceOpsKind::kNccl;
  struct Case {
    std::vector<int> gpus;
    CrossDeviceOpsKind without, with_old, with_new;
  };
  const std::vector<Case> cases = {
      {{}, kShared, kShared, kShared},         // CPUs
      {{2}, kShared, kShared, kShared},        // one replica
      {{0, 0, 0}, kShared, kShared, kShared},  // logical devices of one GPU
      {{0, 1}, kHierarchical, kNccl, kNccl},   // one GPU each
      {{3, 1, 2, 0}, kHierarchical, kNccl, kNccl},
      {{0, 0, 1, 1}, kHierarchical, kHierarchical, kNccl}};
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.gpus));
    EXPECT_EQ(ChooseCrossDeviceOps(c.gpus, kNone), c.without);
    EXPECT_EQ(ChooseCrossDeviceOps(c.gpus, kOld), c.with_old);
    EXPECT_EQ(ChooseCrossDeviceOps(c.gpus, kNew), c.with_new);
  }
}

std::string AlgorithmFor(const std::vector<Device*>& devices) {
  const auto rendezvous = std::make_shared<Rendezvous>(2);
  const auto groups = MakeGroups(devices, nullptr, rendezvous);
  EXPECT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1]->rank(), 1);
  return std::string(groups[1]->algorithm());
}

TEST(ChooseCrossDeviceOpsTest, MakesWhatItChose) {
  Device cpu(DeviceKind::kCpu, 0);
  EXPECT_EQ(AlgorithmFor({&cpu, &cpu}), "SharedMemoryAllReduce");
  FakeGpuCollectives fake(2);
  const std::vector<Device*> gpus = {&fake.gpu(0), &fake.gpu(1)};
  EXPECT_EQ(AlgorithmFor(gpus), "HierarchicalCopyAllReduce");
  fake.nccl = kOld;
  fake.make_nccl = [](const std::shared_ptr<Rendezvous>& rendezvous) {
    const auto ops = std::make_shared<ReductionToOneDevice>();
    return MakeGroups({nullptr, nullptr}, ops, rendezvous);
  };
  EXPECT_EQ(AlgorithmFor(gpus), "ReductionToOneDevice");
  fake.physical = {4, 4};
  EXPECT_EQ(AlgorithmFor(gpus), "SharedMemoryAllReduce");
}

TEST(ChooseCrossDeviceOpsTest, GpusWithoutABackendAreUnimplemented) {
  FakeGpu gpu;
  try {
    MakeGroups({&gpu.device()}, nullptr, std::make_shared<Rendezvous>(1));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnimplemented);
  }
}

}  // namespace
}  // namespace lockstep
