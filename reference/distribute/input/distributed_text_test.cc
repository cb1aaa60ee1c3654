#include <gtest/gtest.h>

#include <string>

#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/input/distributed_dataset_testing.h"

namespace lockstep {
namespace {

TEST(DistributedTextTest, ShowsHowBatchesAreDivided) {
  EXPECT_EQ(ToString(DistributeDataset(Topology::OneWorker(2), CpuDevices(2),
                                       Dataset::Range(6).Batch(4))),
            "DistributedDataset\n"
            "element_spec: int64 (None,) on each of 2 replicas\n"
            "cardinality: 2\n"
            "auto_shard_policy: OFF (one worker reads all data)\n"
            "Rebatch(parts=2)  # each batch in 2 parts, one for each replica\n"
            "  Batch(size=4)\n"
            "    Range(stop=6)");
}

TEST(DistributedTextTest, ShowsThatAFunctionsElementsStayWhole) {
  const auto make = [](const InputContext&) {
    return Dataset::Range(6).Batch(2);
  };
  EXPECT_EQ(ToString(DistributeDatasetsFromFunction(Topology::OneWorker(2),
                                                    CpuDevices(2), make)),
            "DistributedDataset\n"
            "element_spec: int64 (None,) on each of 2 replicas\n"
            "cardinality: 2\n"
            "of a function: each element goes whole to the next of 2 replicas\n"
            "Batch(size=2)\n"
            "  Range(stop=6)");
}

TEST(DistributedTextTest, ShowsADatasetForEachReplica) {
  const auto make = [](const InputContext& context) {
    return Dataset::Range(6)
        .Shard(2, context.input_pipeline_id())
        .Batch(1 + context.input_pipeline_id(), /*drop_remainder=*/true)
        .Repeat();
  };
  EXPECT_EQ(ToString(DistributeDatasetsFromFunction(
                Topology::OneWorker(2), CpuDevices(2), make,
                {.replication_mode = InputReplicationMode::kPerReplica})),
            "DistributedDataset\n"
            "element_spec: int64 (1,) on replica 0, int64 (2,) on replica 1\n"
            "cardinality: infinite\n"
            "of a function: a dataset for each replica\n"
            "replica 0:\n"
            "Repeat\n"
            "  Batch(size=1, drop_remainder=true)\n"
            "    Shard(num_shards=2, index=0)\n"
            "      Range(stop=6)\n"
            "replica 1:\n"
            "Repeat\n"
            "  Batch(size=2, drop_remainder=true)\n"
            "    Shard(num_shards=2, index=1)\n"
            "      Range(stop=6)");
}

}  // namespace
}  // namespace lockstep
