#include "reference/cluster/topology.h"

#include <gtest/gtest.h>

#include <optional>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

TEST(TopologyTest, OneWorkerHasAllReplicas) {
  const Topology topology = Topology::OneWorker(3);
  EXPECT_EQ(topology.num_workers(), 1);
  EXPECT_EQ(topology.worker(), WorkerId(0));
  EXPECT_TRUE(topology.is_chief());
  EXPECT_EQ(topology.num_replicas_in_sync(), 3);
  EXPECT_EQ(topology.num_local_replicas(), 3);
  for (LocalIndex r(0); r < 3; ++r) {
    EXPECT_EQ(topology.GlobalId(r), ReplicaId(int{r}));
    EXPECT_EQ(topology.FindLocal(ReplicaId(int{r})), r);
  }
}

// Workers with 2, 1 and 3 replicas; this is the last.
TEST(TopologyTest, ReplicasAreNumberedWorkerByWorker) {
  const Topology topology({2, 1, 3}, WorkerId(2));
  EXPECT_EQ(topology.num_workers(), 3);
  EXPECT_EQ(topology.worker(), WorkerId(2));
  EXPECT_FALSE(topology.is_chief());
  EXPECT_EQ(topology.num_replicas_in_sync(), 6);
  EXPECT_EQ(topology.num_local_replicas(), 3);
  EXPECT_EQ(topology.GlobalId(LocalIndex(0)), ReplicaId(3));
  EXPECT_EQ(topology.GlobalId(LocalIndex(2)), ReplicaId(5));
  const int workers[] = {0, 0, 1, 2, 2, 2};
  for (int id = 0; id < 6; ++id) {
    EXPECT_EQ(topology.WorkerOf(ReplicaId(id)), WorkerId(workers[id])) << id;
  }
  EXPECT_EQ(topology.FindLocal(ReplicaId(2)), std::nullopt);
  EXPECT_EQ(topology.FindLocal(ReplicaId(4)), LocalIndex(1));
}

TEST(TopologyTest, WorkersDifferOnlyInTheirNumber) {
  const Topology first({2, 2}, WorkerId(0));
  EXPECT_TRUE(first.is_chief());
  EXPECT_EQ(first, Topology({2, 2}, WorkerId(0)));
  EXPECT_NE(first, Topology({2, 2}, WorkerId(1)));
  EXPECT_NE(first, Topology({2, 1}, WorkerId(0)));
}

TEST(TopologyTest, RefusesInvalidWorkersAndReplicas) {
  EXPECT_EQ(CodeOf([] { Topology::OneWorker(0); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Topology({}, WorkerId(0)); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              Topology({1, 0}, WorkerId(0));
            }),
            Code::kInvalidArgument);
  for (const int here : {-1, 2}) {
    EXPECT_EQ(CodeOf([&] {
                Topology({1, 1}, WorkerId(here));
              }),
              Code::kInvalidArgument);
  }
  const Topology topology({2, 1}, WorkerId(0));
  EXPECT_EQ(CodeOf([&] { topology.GlobalId(LocalIndex(2)); }),
            Code::kOutOfRange);
  EXPECT_EQ(CodeOf([&] { topology.FindLocal(ReplicaId(-1)); }),
            Code::kOutOfRange);
  EXPECT_EQ(CodeOf([&] { topology.WorkerOf(ReplicaId(3)); }),
            Code::kOutOfRange);
}

// A ReplicaId never converts to an index, nor an index to a ReplicaId.
static_assert(!std::is_convertible_v<ReplicaId, int>);
static_assert(!std::is_convertible_v<int, ReplicaId>);
static_assert(!std::is_convertible_v<int, LocalIndex>);
static_assert(!std::is_constructible_v<ReplicaId, LocalIndex>);
static_assert(!std::is_constructible_v<LocalIndex, ReplicaId>);

}  // namespace
}  // namespace lockstep
