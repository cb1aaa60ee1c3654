#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "reference/base/log.h"
#include "reference/data/dataset_testing.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/input/distributed_dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;

Texts Rebatched(int64_t count, int64_t batch, int replicas) {
  return ReadSteps(DistributeDataset(Topology::OneWorker(replicas),
                                     CpuDevices(replicas),
                                     Dataset::Range(count).Batch(batch)));
}

TEST(DistributeDatasetTest, DividesEachBatch) {
  EXPECT_EQ(Rebatched(6, 4, 2), (Texts{"[0, 1] [2, 3]", "[4] [5]"}));
  EXPECT_EQ(Rebatched(4, 4, 5), Texts{"[0] [1] [2] [3] []"});
  EXPECT_EQ(Rebatched(8, 4, 3),
            (Texts{"[0, 1] [2, 3] []", "[4, 5] [6, 7] []"}));
  EXPECT_EQ(Rebatched(7, 7, 2), Texts{"[0, 1, 2, 3] [4, 5, 6]"});
  EXPECT_EQ(Rebatched(10, 8, 3),
            (Texts{"[0, 1, 2] [3, 4, 5] [6, 7]", "[8] [9] []"}));
  EXPECT_EQ(Rebatched(13, 5, 4),
            (Texts{"[0, 1] [2, 3] [4] []", "[5, 6] [7, 8] [9] []",
                   "[10] [11] [12] []"}));
}

TEST(DistributeDatasetTest, DividesTheShortLastBatch) {
  EXPECT_EQ(Rebatched(9, 4, 4),
            (Texts{"[0] [1] [2] [3]", "[4] [5] [6] [7]", "[8] [] [] []"}));
  EXPECT_EQ(Rebatched(5, 2, 2), (Texts{"[0] [1]", "[2] [3]", "[4] []"}));
  EXPECT_EQ(Rebatched(3, 4, 4), Texts{"[0] [1] [2] []"});
  EXPECT_EQ(Rebatched(0, 4, 2), Texts{});
}

TEST(DistributeDatasetTest, DropRemainderActsOnTheGlobalBatch) {
  const auto dropped = [](int64_t count, int64_t batch, int replicas) {
    return ReadSteps(
        DistributeDataset(Topology::OneWorker(replicas), CpuDevices(replicas),
                          Dataset::Range(count).Batch(batch, true)));
  };
  EXPECT_EQ(dropped(10, 4, 3), (Texts{"[0, 1] [2, 3] []", "[4, 5] [6, 7] []"}));
  EXPECT_EQ(dropped(3, 1, 2), (Texts{"[0] []", "[1] []", "[2] []"}));
}

TEST(DistributeDatasetTest, RepeatBeforeAndAfterBatch) {
  const Dataset five = Dataset::Range(5);
  EXPECT_EQ(ReadSteps(DistributeDataset(Topology::OneWorker(3), CpuDevices(3),
                                        five.Batch(4).Repeat(2))),
            (Texts{"[0, 1] [2, 3] []", "[4] [] []", "[0, 1] [2, 3] []",
                   "[4] [] []"}));
  EXPECT_EQ(ReadSteps(DistributeDataset(Topology::OneWorker(3), CpuDevices(3),
                                        five.Repeat(2).Batch(4))),
            (Texts{"[0, 1] [2, 3] []", "[4, 0] [1, 2] []", "[3] [4] []"}));
}

TEST(DistributeDatasetTest, DividesEveryLeafByItsSize) {
  const Dataset zipped =
      Dataset::Zip({Dataset::Range(6).Batch(2), Dataset::Range(12).Batch(4)});
  EXPECT_EQ(ReadSteps(DistributeDataset(Topology::OneWorker(2), CpuDevices(2),
                                        zipped.Take(1))),
            Texts{"([0], [0, 1]) ([1], [2, 3])"});
}

// As from a zip of batches of different sizes, or a feature file that lost a
// line.
TEST(DistributeDatasetTest, WarnsOfUnequalRowsOncePerDataset) {
  const Dataset unequal =
      Dataset::Zip({Dataset::Range(6).Batch(2), Dataset::Range(12).Batch(4)});
  const Dataset equal =
      Dataset::Zip({Dataset::Range(6).Batch(4), Dataset::Range(6).Batch(4)});
  const auto lines = [](const Dataset& dataset, int replicas) {
    const LogCapture capture;
    const DistributedDataset inputs = DistributeDataset(
        Topology::OneWorker(replicas), CpuDevices(replicas), dataset);
    ReadSteps(inputs);
    ReadSteps(inputs);
    return capture.lines();
  };
  ASSERT_EQ(lines(unequal, 2).size(), 1u);
  EXPECT_TRUE(
      lines(unequal, 2)[0].starts_with("W [DistributeDataset] components of an "
                                       "element have 2 and 4 rows: each is "
                                       "divided by its own number"));
  EXPECT_EQ(lines(unequal, 1), Texts{});  // nothing is divided
  EXPECT_EQ(lines(equal, 2), Texts{});
}

TEST(DistributeDatasetTest, DividesNestsLeafByLeaf) {
  const Tensor x = Tensor::FromVector<int64_t>({0, 1, 2, 3, 4});
  const Tensor y = Tensor::FromVector<std::string>({"a", "b", "c", "d", "e"});
  const Dataset rows =
      Dataset::FromTensorSlices(Structure::Dict({{"x", x}, {"y", y}}));
  EXPECT_EQ(ReadSteps(DistributeDataset(Topology::OneWorker(2), CpuDevices(2),
                                        rows.Batch(4))),
            (Texts{"{x: [0, 1], y: ['a', 'b']} {x: [2, 3], y: ['c', 'd']}",
                   "{x: [4], y: ['e']} {x: [], y: []}"}));
}

TEST(DistributeDatasetTest, EmptyPartsKeepTypeAndDimensions) {
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64,
        DType::kUInt8, DType::kBool, DType::kString}) {
    const Dataset rows =
        Dataset::FromTensorSlices(Tensor::Zeros(Shape{3, 2}, dtype));
    DistributedIterator iterator =
        DistributeDataset(Topology::OneWorker(2), CpuDevices(2), rows.Batch(2))
            .MakeIterator();
    iterator.GetNext();
    const PerReplica<Structure> last = iterator.GetNext();
    EXPECT_EQ(last[0].leaf().shape(), (Shape{1, 2}));
    EXPECT_EQ(last[1].leaf().shape(), (Shape{0, 2}));
    EXPECT_EQ(last[1].leaf().dtype(), dtype);
  }
}

TEST(DistributeDatasetTest, OneReplicaGetsWholeElements) {
  const Tensor rows = Tensor::FromVector<float>({1, 2, 3});
  const DistributedDataset batches =
      DistributeDataset(Topology::OneWorker(1), CpuDevices(1),
                        Dataset::FromTensorSlices(rows).Batch(2));
  EXPECT_EQ(ReadSteps(batches), (Texts{"[1, 2]", "[3]"}));
  EXPECT_EQ(batches.MakeIterator().GetNext().size(), 1);
  EXPECT_TRUE(
      batches.MakeIterator().GetNext()[0].leaf().SharesMemoryWith(rows));
}

// At once, even if no step would have to be divided.
TEST(DistributeDatasetTest, RefusesScalarsAndNamesBatch) {
  for (const int replicas : {1, 2, 3}) {
    for (const int64_t count : {0, 4}) {
      const Dataset scalars = Dataset::Range(count);
      for (const Dataset& dataset :
           {scalars, Dataset::Zip({scalars.Batch(2), scalars})}) {
        ExpectError(
            [&] {
              DistributeDataset(Topology::OneWorker(replicas),
                                CpuDevices(replicas), dataset);
            },
            Code::kInvalidArgument,
            "[DistributeDataset] elements need a batch axis to be "
            "divided among replicas, got int64 (). You can fix the "
            "issue by adding the `batch` transformation");
      }
    }
  }
}

// The function is not called to check.
TEST(DistributeDatasetTest, RefusesScalarsAfterMapWhenRead) {
  int calls = 0;
  const Dataset scalars =
      Dataset::Range(4).Batch(2).Map([&calls](const Structure& x) -> Structure {
        ++calls;
        return x.leaf().Row(0);
      });
  for (const int replicas : {1, 2}) {
    calls = 0;
    const DistributedDataset inputs = DistributeDataset(
        Topology::OneWorker(replicas), CpuDevices(replicas), scalars);
    EXPECT_EQ(calls, 0);
    ExpectError([&] { inputs.MakeIterator().GetNext(); },
                Code::kInvalidArgument, "adding the `batch` transformation");
    ExpectError([&] { inputs.element_spec(); }, Code::kInvalidArgument,
                "adding the `batch` transformation");
  }
  const Dataset declared = Dataset::Range(4).Map(
      [](const Structure& x) { return x; }, TensorSpec{Shape{}, DType::kInt64});
  ExpectError(
      [&] {
        DistributeDataset(Topology::OneWorker(1), CpuDevices(1), declared);
      },
      Code::kInvalidArgument, "adding the `batch` transformation");
}

TEST(DistributeDatasetTest, EachPassStartsAgain) {
  const DistributedDataset inputs = DistributeDataset(
      Topology::OneWorker(2), CpuDevices(2), Dataset::Range(4).Batch(2));
  const Texts expected = {"[0] [1]", "[2] [3]"};
  EXPECT_EQ(ReadSteps(inputs), expected);
  EXPECT_EQ(ReadSteps(inputs), expected);
}

TEST(DistributeDatasetTest, ReshufflesEachPass) {
  const Dataset range = Dataset::Range(64);
  const auto twice = [](const Dataset& dataset) {
    const DistributedDataset inputs = DistributeDataset(
        Topology::OneWorker(2), CpuDevices(2), dataset.Batch(8));
    return std::pair(ReadSteps(inputs), ReadSteps(inputs));
  };
  const auto [a, b] = twice(range.Shuffle(64, 1));
  EXPECT_NE(a, b);
  const auto [c, d] = twice(range.Shuffle(64, 1, false));
  EXPECT_EQ(c, d);
  const auto [e, f] = twice(range.Shuffle(64, 1).Cache());
  EXPECT_EQ(e, f);
}

TEST(DistributeDatasetTest, CardinalityCountsSteps) {
  const auto cardinality = [](const Dataset& dataset) {
    return DistributeDataset(Topology::OneWorker(2), CpuDevices(2), dataset)
        .cardinality();
  };
  EXPECT_EQ(cardinality(Dataset::Range(9).Batch(4)), 3);
  EXPECT_EQ(cardinality(Dataset::Range(9).Batch(4, true)), 2);
  EXPECT_EQ(cardinality(Dataset::Range(9).Repeat().Batch(4)),
            kInfiniteCardinality);
  EXPECT_EQ(cardinality(Dataset::Range(INT64_MAX).Batch(1)), INT64_MAX);
}

TEST(DistributeDatasetTest, SpecKeepsOnlyAnEvenStaticBatchSize) {
  const auto spec = [](const Dataset& dataset, int replicas) {
    const auto specs = DistributeDataset(Topology::OneWorker(replicas),
                                         CpuDevices(replicas), dataset)
                           .element_spec();
    EXPECT_EQ(specs.size(), replicas);
    EXPECT_EQ(specs[0].leaf(), specs[replicas - 1].leaf());
    return ToString(specs[0].leaf());
  };
  const Dataset ten = Dataset::Range(10);
  EXPECT_EQ(spec(ten.Batch(2), 2), "int64 (None,)");
  EXPECT_EQ(spec(ten.Batch(4, true), 2), "int64 (2,)");
  EXPECT_EQ(spec(ten.Batch(3, true), 2), "int64 (None,)");
  EXPECT_EQ(spec(ten.Batch(3, true), 1), "int64 (3,)");
}

TEST(DistributeDatasetTest, PlacesPartsWithoutCopies) {
  const Tensor rows = Tensor::FromVector<float>({1, 2, 3, 4});
  const Dataset batches = Dataset::FromTensorSlices(rows).Batch(4);
  const std::vector<Device*> devices = CpuDevices(2);
  const auto fetched =
      DistributeDataset(Topology::OneWorker(2), devices, batches)
          .MakeIterator()
          .GetNext();
  EXPECT_EQ(&fetched[0].leaf().device(), devices[0]);
  EXPECT_EQ(&fetched[1].leaf().device(), devices[1]);
  EXPECT_EQ(fetched[1].leaf().raw_data(), rows.data<float>() + 2);
  EXPECT_FALSE(fetched[1].leaf().unique());
  InputOptions options;
  options.fetch_to_device = false;
  const auto left =
      DistributeDataset(Topology::OneWorker(2), devices, batches, options)
          .MakeIterator()
          .GetNext();
  EXPECT_EQ(&left[1].leaf().device(), devices[0]);
}

TEST(DistributeDatasetTest, MakesAtMostOneStepPerReplicaAhead) {
  auto made = std::make_shared<std::atomic<int>>(0);
  const Dataset counted =
      Dataset::Range(100).Batch(2).Map([made](const auto& x) {
        ++*made;
        return x;
      });
  DistributedIterator iterator =
      DistributeDataset(Topology::OneWorker(2), CpuDevices(2), counted)
          .MakeIterator();
  iterator.GetNext();
  while (*made < 4) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(*made, 4);
}

TEST(DistributeDatasetTest, ErrorsComeAtTheirStep) {
  const Dataset failing =
      Dataset::Range(4).Batch(1).Map([](const Structure& x) {
        if (x.leaf().at<int64_t>(0) == 1) throw DataLoss("[Read] damaged");
        return x;
      });
  DistributedIterator iterator =
      DistributeDataset(Topology::OneWorker(2), CpuDevices(2), failing)
          .MakeIterator();
  EXPECT_EQ(ToText(iterator.GetNext()[0]), "[0]");
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(ToText(iterator.GetNext()[0]), "[2]");
  EXPECT_EQ(ToText(iterator.GetNext()[0]), "[3]");
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
}

TEST(DistributeDatasetTest, FailingGeneratorIsInvalidArgument) {
  const Dataset failing = Dataset::FromGenerator(
      [] {
        return []() -> std::optional<Structure> {
          throw std::runtime_error("no more");
        };
      },
      TensorSpec{Shape{2}, DType::kFloat32});
  DistributedIterator iterator =
      DistributeDataset(Topology::OneWorker(2), CpuDevices(2), failing)
          .MakeIterator();
  ExpectError([&] { iterator.GetNext(); }, Code::kInvalidArgument, "no more");
}

TEST(DistributeDatasetTest, MayStopEarlyOrNotBegin) {
  const Dataset endless = Dataset::Range(4).Batch(2).Repeat().Map(
      [](const Structure& x) { return x; });
  for (int steps = 0; steps < 4; ++steps) {
    DistributedIterator iterator =
        DistributeDataset(Topology::OneWorker(2), CpuDevices(2), endless)
            .MakeIterator();
    for (int i = 0; i < steps; ++i) iterator.GetNext();
  }
}

TEST(DistributeDatasetTest, RefusesConflictingOptions) {
  const Dataset batches = Dataset::Range(4).Batch(2);
  InputOptions per_replica;
  per_replica.replication_mode = InputReplicationMode::kPerReplica;
  ExpectError(
      [&] {
        DistributeDataset(Topology::OneWorker(2), CpuDevices(2), batches,
                          per_replica);
      },
      Code::kUnimplemented,
      "only supported in `distribute_datasets_from_function`");
  InputOptions on_device;
  on_device.place_dataset_on_device = true;
  ExpectError(
      [&] {
        DistributeDataset(Topology::OneWorker(2), CpuDevices(2), batches,
                          on_device);
      },
      Code::kInvalidArgument, "place_dataset_on_device");
  ExpectError(
      [&] { DistributeDataset(Topology::OneWorker(1), {}, batches); },
      Code::kInvalidArgument,
      "[DistributeDataset] requires a device for each of 1 replicas, got 0");
}

// For every length, global batch size and number of replicas: no element is
// lost, doubled or out of order, and parts have the documented sizes.
RC_GTEST_PROP(DistributeDatasetPropertyTest, PartsTogetherAreTheDataset, ()) {
  const int64_t count = *rc::gen::inRange<int64_t>(0, 70);
  const int64_t batch = *rc::gen::inRange<int64_t>(1, 20);
  const int replicas = *rc::gen::inRange(1, 9);
  const bool shuffled = *rc::gen::arbitrary<bool>();
  const bool threaded = *rc::gen::arbitrary<bool>();
  Dataset source = Dataset::Range(count);
  if (shuffled) source = source.Shuffle(7, 1, false);
  Dataset batches = source.Batch(batch);
  if (threaded) batches = batches.Map([](const Structure& x) { return x; });
  std::vector<int64_t> read;
  int64_t steps = 0;
  for (const auto& step : DistributeDataset(Topology::OneWorker(replicas),
                                            CpuDevices(replicas), batches)) {
    const int64_t size = std::min(batch, count - steps++ * batch);
    const int64_t share = (size + replicas - 1) / replicas;
    for (int replica = 0; replica < replicas; ++replica) {
      const auto rows = step[replica].leaf().span<int64_t>();
      RC_ASSERT(std::ssize(rows) ==
                std::clamp<int64_t>(size - replica * share, 0, share));
      read.insert(read.end(), rows.begin(), rows.end());
    }
  }
  RC_ASSERT(steps == batches.cardinality());
  RC_ASSERT(read == ReadNumbers(source));
}

}  // namespace
}  // namespace lockstep
