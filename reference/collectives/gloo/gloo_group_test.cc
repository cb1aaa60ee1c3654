#include "reference/collectives/gloo/gloo_group.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/collectives/gloo/gloo_testing.h"

namespace lockstep {
namespace {

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

// What worker w gets, of integers so small that no sum is rounded.
Tensor SmallIntegers(const Shape& shape, DType dtype, int seed) {
  std::vector<int64_t> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = (i * 7 + seed) % 13;
  return Tensor::FromVector(values, shape).Cast(dtype);
}

constexpr DType kNumbers[] = {
    DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kFloat16,
    DType::kInt32,   DType::kInt64,   DType::kUInt8};

// Lists that fit into a message, that fill several steps, and between.
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

// Everything once, on every rank.
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

// 16-bit floats are added in float and rounded once, in both.
RC_GTEST_PROP(GlooGroupTest, ItGivesTheBitsOfRanksOfOneProcess, ()) {
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

TEST(GlooGroupTest, ReducesWhatNeedsManySteps) {
  // 5 MB in one tensor between two that share its pieces' edges.
  constexpr int64_t kCount = 1'300'007;
  GlooRanks::Make(3)->Run([&](Group& group) {
    const float mine = 1.0f + group.rank();
    const TensorList sums =
        group
            .AllReduce(ReduceOp::kSum,
                       {Row({mine}), Tensor::Full<float>(Shape{kCount}, mine),
                        Row({mine, mine})},
                       {})
            .Wait();
    EXPECT_EQ(sums[1].ToVector<float>(), std::vector<float>(kCount, 6));
    EXPECT_EQ(sums[0].ToVector<float>(), std::vector<float>(1, 6));
    EXPECT_EQ(sums[2].ToVector<float>(), std::vector<float>(2, 6));
  });
}

// A description of 2,000 tensors does not fit into a message.
TEST(GlooGroupTest, ListsMayBeLong) {
  GlooRanks::Make(2)->Run([&](Group& group) {
    const int r = group.rank();
    const TensorList mine(2000, Row({1.0f * r}));
    EXPECT_EQ(
        group.AllReduce(ReduceOp::kSum, mine, {}).Wait().back().at<float>(0),
        1);
    EXPECT_EQ(group.Broadcast(mine, 1, {}).Wait().back().at<float>(0), 1);
    const auto all =
        group.AllGather(TensorList(1 + 1999 * r, Row({5})), {}).Wait();
    EXPECT_EQ(all[0].size(), 1u);
    EXPECT_EQ(all[1].size(), 2000u);
  });
}

TEST(GlooGroupTest, GathersAndBroadcastsStrings) {
  GlooRanks::Make(2)->Run([&](Group& group) {
    const std::vector<std::string> mine = {
        "", std::string(group.rank() == 0 ? 3 : 100'000, 'x')};
    const Tensor strings = Tensor::FromVector(mine);
    const auto all = group.AllGather({strings, Row({2})}, {}).Wait();
    EXPECT_EQ(all[0][0].ToVector<std::string>(),
              (std::vector<std::string>{"", "xxx"}));
    EXPECT_EQ(all[1][0].at<std::string>(1).size(), 100'000u);
    EXPECT_EQ(all[1][1].at<float>(0), 2);
    EXPECT_EQ(group.Broadcast({strings}, 1, {}).Wait()[0].at<std::string>(1),
              all[1][0].at<std::string>(1));
  });
}

TEST(GlooGroupTest, DifferentListsNameTheWorkersAndAllGoOn) {
  GlooRanks::Make(3)->Run([&](Group& group) {
    const bool odd = group.rank() == 2;
    const TensorList mine(1, Row(std::vector<float>(odd ? 5 : 4)));
    ExpectError(
        [&] { group.AllReduce(ReduceOp::kSum, mine, {}).Wait(); },
        Code::kInvalidArgument,
        "tensor 0 is float32 (4,) on worker 0, float32 (5,) on worker 2");
    ExpectError([&] { group.Broadcast(mine, odd ? 2 : 0, {}).Wait(); },
                Code::kFailedPrecondition,
                "worker 0 calls Broadcast(0), worker 2 calls Broadcast(2)");
    EXPECT_EQ(
        group.AllReduce(ReduceOp::kSum, {Row({1})}, {}).Wait()[0].at<float>(0),
        3);
  });
}

// One worker's values cannot be reduced: all learn of it, all go on.
TEST(GlooGroupTest, TheErrorOfOneIsEverybodys) {
  GlooRanks::Make(2)->Run([&](Group& group) {
    const Tensor mine = group.rank() == 1
                            ? Tensor::FromVector(std::vector<std::string>{"a"})
                            : Row({1});
    ExpectError([&] { group.AllReduce(ReduceOp::kSum, {mine}, {}).Wait(); },
                Code::kInvalidArgument, "string values have no SUM");
    ExpectError(
        [&] {
          group.AllGather(group.rank() == 0 ? TensorList(1) : TensorList(), {})
              .Wait();
        },
        Code::kInvalidArgument, "[AllGather] there is no tensor");
    group.Barrier({});
  });
}

// Of one job the group between the workers ends, not the job.
TEST(GlooGroupTest, AfterAnAbortAnotherGroupCanBeMade) {
  const auto ranks = GlooRanks::Make(2);
  const auto errors = ranks->Errors([](Group& group) {
    if (group.rank() == 0) throw DataLoss("[Test] {}", "broken");
    EXPECT_EQ(CodeOf([&] { group.Barrier({}); }), Code::kCancelled);
    // It is over at once.
    ExpectError([&] { group.Barrier({}); }, Code::kCancelled,
                "another replica failed");
  });
  EXPECT_EQ(CodeOf(errors[0]), Code::kDataLoss);
  ranks->Run([](Group& group) { group.Barrier({}); });
}

TEST(GlooGroupTest, TheJobsFailureIsTheGroups) {
  const auto all = std::make_shared<GlooRanks>(2);
  const auto ranks = GlooRanks::Make(all);
  std::thread failing([&] { all->planes()[1]->Abort("the disk is full"); });
  ExpectError([&] { (*ranks)[0].Barrier({}); }, Code::kCancelled,
              "the disk is full");
  failing.join();
  // Its own worker learns of it on whatever thread.
  ExpectError(
      [&] {
        while (true) all->planes()[1]->Check();
      },
      Code::kCancelled, "the disk is full");
  ExpectError([&] { (*ranks)[1].Barrier({}); }, Code::kCancelled,
              "the disk is full");
}

TEST(GlooGroupTest, AnAddressThatIsNotHereIsRefusedOnAllWorkers) {
  const ControlPlanes planes = MakeThreadControlPlanes(2);
  for (const GlooOptions& wrong : {GlooOptions{.address = "203.0.113.7"},
                                   GlooOptions{.interface_name = "no-such0"}}) {
    std::vector<std::unique_ptr<Group>> groups;
    const auto errors = ConnectAll(planes, {GlooOptions(), wrong}, groups);
    for (const auto& error : errors) {
      ExpectError([&] { std::rethrow_exception(error); },
                  Code::kInvalidArgument, "worker 1 cannot listen on");
    }
  }
  // The job goes on.
  std::vector<std::unique_ptr<Group>> groups;
  RethrowAny(ConnectAll(planes, {{}, {.interface_name = "lo"}}, groups));
}

TEST(GlooGroupTest, AWorkerThatNeverConnectsIsNamed) {
  const ControlPlanes planes = MakeThreadControlPlanes(2);
  ExpectError(
      [&] {
        MakeGlooGroup(*planes[0],
                      {.connect_limit = std::chrono::milliseconds(20)});
      },
      Code::kDeadlineExceeded, "worker 1");
}

// It began, and nobody calls Wait: the destructor does.
TEST(GlooGroupTest, OverlappedWorkIsDoneInOrder) {
  GlooRanks::Make(2)->Run([](Group& group) {
    std::vector<Pending<TensorList>> pending;
    for (int i = 0; i < 20; ++i) {
      pending.push_back(group.AllReduce(ReduceOp::kSum, {Row({1.0f * i})},
                                        {.overlapped = true}));
    }
    const auto all = group.AllGather({Row({3})}, {}).Wait();
    EXPECT_EQ(all[1][0].at<float>(0), 3);
    for (int i = 0; i < 20; i += 2) {
      EXPECT_EQ(pending[i].Wait()[0].at<float>(0), 2.0f * i);
    }
  });
}

}  // namespace
}  // namespace lockstep
