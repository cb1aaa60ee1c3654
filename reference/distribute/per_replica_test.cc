#include "reference/distribute/per_replica.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using distribute_internal::ComponentOf;

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

TEST(PerReplicaTest, PrintsAsTheDocumentsDo) {
  const PerReplica<Tensor> value({Row({1, 2}), Row({3})});
  EXPECT_EQ(ToString(value), "PerReplica:{\n  0: [1, 2],\n  1: [3]\n}");
  EXPECT_EQ(ToString(PerReplica<int>({7})), "PerReplica:{\n  0: 7\n}");
}

TEST(PerReplicaTest, PrintsStructures) {
  const auto pair = Structure::Tuple({Row({1}), Row({2})});
  const auto named = Structure::Dict({{"b", Row({2})}, {"a", Row({1})}});
  EXPECT_EQ(ToString(PerReplica<Structure>({pair})),
            "PerReplica:{\n  0: ([1], [2])\n}");
  EXPECT_EQ(ToString(PerReplica<Structure>({named})),
            "PerReplica:{\n  0: {'a': [1], 'b': [2]}\n}");
}

TEST(PerReplicaTest, ReplicaThatIsNotThereIsOutOfRange) {
  const PerReplica<int> value({1, 2});
  for (int replica : {-1, 2}) {
    try {
      value[replica];
      FAIL() << "no error for replica " << replica;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kOutOfRange);
    }
  }
}

TEST(PerReplicaTest, MapAppliesToEachEntry) {
  const PerReplica<int> doubled =
      PerReplica<int>({1, 2}).Map([](int value) { return 2 * value; });
  EXPECT_EQ(doubled.values(), (std::vector<int>{2, 4}));
}

TEST(PerReplicaTest, ComponentsOfArguments) {
  const PerReplica<int> distributed({5, 6});
  EXPECT_EQ(ComponentOf(distributed, 1), 6);
  EXPECT_EQ(ComponentOf(9, 1), 9);
  const auto nest = Nest<PerReplica<int>>::Tuple({distributed, distributed});
  EXPECT_EQ(ComponentOf(nest, 0)[1].leaf(), 5);
}

TEST(PerReplicaTest, RegroupTurnsInsideOutAndUngroupBack) {
  const PerReplica<Structure> values({Structure::Tuple({Row({1}), Row({2})}),
                                      Structure::Tuple({Row({3}), Row({4})})});
  const Nest<PerReplica<Tensor>> nest = Regroup(values);
  EXPECT_EQ(nest[0].leaf()[1].at<float>(0), 3);
  EXPECT_EQ(nest[1].leaf()[0].at<float>(0), 2);
  const PerReplica<Structure> back = Ungroup(nest);
  ASSERT_EQ(back.size(), 2);
  EXPECT_EQ(back[1][1].leaf().at<float>(0), 4);
}

TEST(PerReplicaTest, RegroupRefusesDifferentForms) {
  const PerReplica<Structure> values(
      {Structure(Row({1})), Structure::Tuple({Row({3})})});
  try {
    Regroup(values);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
  }
  EXPECT_THROW(Regroup(PerReplica<Structure>()), Error);
}

}  // namespace
}  // namespace lockstep
