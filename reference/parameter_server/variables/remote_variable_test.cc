#include "reference/parameter_server/variables/remote_variable.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error_testing.h"
#include "reference/parameter_server/variables/parameter_servers_testing.h"
#include "reference/parameter_server/variables/partitioners.h"
#include "reference/parameter_server/variables/remote_variable_maker.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

// 0, 1, 2, ... of this shape.
Tensor CountUp(const Shape& shape) {
  Floats values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::FromVector(values, shape);
}

Tensor Ids(const std::vector<int64_t>& ids) { return Tensor::FromVector(ids); }

class RemoteVariableTest : public testing::Test {
 protected:
  explicit RemoteVariableTest(int servers = 2)
      : servers_(servers),
        coordinator_(servers_.Connect(ParameterServerRole::kCoordinator)),
        worker_(servers_.Connect(ParameterServerRole::kWorker)) {
    Partition({});
  }

  void Partition(const Partitioner& partitioner) {
    maker_ = std::make_unique<RemoteVariableMaker>(coordinator_, partitioner);
    worker_maker_ = std::make_unique<RemoteVariableMaker>(worker_);
  }

  static VariableOptions Options(const std::string& name, const Tensor& value) {
    return {.initial_value = [value] { return value; }, .name = name};
  }
  VariablePtr Make(const std::string& name, const Tensor& value) {
    return maker_->Make(Options(name, value));
  }
  // The worker's handle of the next variable.
  VariablePtr Find(const std::string& name) {
    VariableOptions options;
    options.name = name;
    options.initial_value = []() -> Tensor {
      throw Internal("a worker does not evaluate the initial value");
    };
    return worker_maker_->Make(options);
  }

  ServersOfTest servers_;
  std::shared_ptr<ParameterClient> coordinator_;
  std::shared_ptr<ParameterClient> worker_;
  std::unique_ptr<RemoteVariableMaker> maker_;
  std::unique_ptr<RemoteVariableMaker> worker_maker_;
};

TEST_F(RemoteVariableTest, ReadsAndAssigns) {
  const VariablePtr v = Make("v", Tensor::FromVector<float>({1, 2}));
  const VariablePtr seen = Find("v");
  EXPECT_EQ(seen->name(), "v");
  EXPECT_EQ(seen->shape(), Shape{2});
  EXPECT_EQ(seen->Read().ToVector<float>(), (Floats{1, 2}));
  {
    const ClosureScope scope(1);
    seen->Assign(Tensor::FromVector<float>({3, 4}));
  }
  v->AssignAdd(Tensor::FromVector<float>({10, 20}));
  v->AssignSub(Tensor::FromVector<float>({1, 1}));
  EXPECT_EQ(seen->Read().ToVector<float>(), (Floats{12, 23}));
}

// Its program up to Serve is that of the coordinator, which has made the change.
TEST_F(RemoteVariableTest, AWorkersProgramOnlyReads) {
  Make("v", CountUp(Shape{2, 2}));
  const VariablePtr seen = Find("v");
  const auto expect_refused = [](const std::function<void()>& change) {
    ExpectError(change, Code::kFailedPrecondition,
                "only in a scheduled function");
  };
  const Tensor one = Tensor::Full(Shape{2, 2}, 1.0f);
  expect_refused([&] { seen->Assign(one); });
  expect_refused([&] { seen->AssignAdd(one); });
  expect_refused([&] { seen->AssignSub(one); });
  expect_refused([&] { AssignAddAndRead(*seen, one); });
  expect_refused([&] {
    ScatterAdd(*seen,
               IndexedSlices(CountUp(Shape{1, 2}), Ids({0}), one.shape()));
  });
  expect_refused([&] {
    seen->Update("Double", {}, [](Tensor&, std::span<const Tensor>) {});
  });
  EXPECT_EQ(seen->Read().ToVector<float>(), (Floats{0, 1, 2, 3}));
  const ClosureScope scope(1);
  seen->AssignAdd(one);
  EXPECT_EQ(seen->Read().ToVector<float>(), (Floats{1, 2, 3, 4}));
}

TEST_F(RemoteVariableTest, KeepsAllTypes) {
  const VariablePtr words =
      Make("words", Tensor::FromVector<std::string>({"a", ""}));
  const VariablePtr counter = Make("counter", Tensor::Scalar<int64_t>(7));
  EXPECT_EQ(Find("words")->Read().at<std::string>(0), "a");
  EXPECT_EQ(Find("counter")->Read().item<int64_t>(), 7);
  words->Assign(Tensor::FromVector<std::string>({"b", "c"}));
  EXPECT_EQ(words->Read().at<std::string>(1), "c");
}

TEST_F(RemoteVariableTest, IsPlacedInTurn) {
  std::vector<int> servers;
  for (const char* name : {"a", "b", "c"}) {
    servers.push_back(
        ShardsOf(*Make(name, Tensor::Scalar(0.0f)))[0].place.server);
  }
  EXPECT_EQ(servers, (std::vector<int>{0, 1, 0}));
}

TEST_F(RemoteVariableTest, StateIsBesideItsVariable) {
  Make("a", Tensor::Scalar(0.0f));
  const VariablePtr b = Make("b", CountUp(Shape{3}));
  VariableOptions options = Options("b_slot", CountUp(Shape{3}));
  options.beside = b.get();
  EXPECT_EQ(ShardsOf(*maker_->Make(options))[0].place.server, 1);
  // Without a turn of its own.
  EXPECT_EQ(ShardsOf(*Make("c", Tensor::Scalar(0.0f)))[0].place.server, 0);
}

TEST_F(RemoteVariableTest, ReturnsTheValueAfterEachUpdate) {
  const VariablePtr v = Make("v", Tensor::Scalar(1.0f));
  const VariablePtr seen = Find("v");
  std::set<float> values;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const ClosureScope scope(static_cast<ClosureNumber>(t) + 1);
      for (int i = 0; i < 25; ++i) {
        const Tensor after =
            AssignAddAndRead(t % 2 ? *v : *seen, Tensor::Scalar(1.0f));
        std::lock_guard lock(mutex);
        values.insert(after.item<float>());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(values.size(), 100);
  EXPECT_EQ(*values.begin(), 2);
  EXPECT_EQ(*values.rbegin(), 101);
  EXPECT_EQ(AssignSubAndRead(*v, Tensor::Scalar(1.0f)).item<float>(), 100);
}

TEST_F(RemoteVariableTest, RefusesWhatDoesNotFit) {
  const VariablePtr v = Make("v", CountUp(Shape{2, 2}));
  ExpectError([&] { v->Assign(CountUp(Shape{4})); }, Code::kInvalidArgument,
              "[Assign] variable 'v' is float32 (2, 2), got float32 (4,)");
  ExpectError([&] { v->AssignAdd(Tensor::Scalar(1.0)); },
              Code::kInvalidArgument, "float64");
  ExpectError(
      [&] {
        v->ReadRows(Ids({0, 2}));
      },
      Code::kInvalidArgument, "'v' has 2 rows, got row 2");
  ExpectError([&] { v->ReadRows(Tensor::Scalar(1.0f)); },
              Code::kInvalidArgument, "are no rows of 'v'");
  ExpectError(
      [&] {
        ScatterAdd(*v,
                   IndexedSlices(CountUp(Shape{1, 3}), Ids({0}), Shape{2, 3}));
      },
      Code::kInvalidArgument, "[Scatter] variable 'v' is float32 (2, 2)");
  const VariablePtr local =
      MakeVariable(Options("local", Tensor::Scalar(1.0f)));
  ExpectError(
      [&] {
        ScatterAdd(*local,
                   IndexedSlices(CountUp(Shape{1}), Ids({0}), Shape{2}));
      },
      Code::kUnimplemented, "'local' is not kept by parameter servers");
  EXPECT_EQ(AssignAddAndRead(*local, Tensor::Scalar(2.0f)).item<float>(), 3);
  EXPECT_TRUE(ShardsOf(*local).empty());
}

TEST_F(RemoteVariableTest, IsRecordedByTapes) {
  const VariablePtr v = Make("v", Tensor::Scalar(3.0f));
  GradientTape tape;
  const Tensor x = v->Read();
  const Gradients gradients = tape.Gradient(ops::Multiply(x, x), {v});
  EXPECT_EQ(gradients[0]->item<float>(), 6);
}

TEST_F(RemoteVariableTest, RowsAreRecordedAsRows) {
  const VariablePtr table = Make("table", CountUp(Shape{4, 2}));
  const Tensor ids = Tensor::FromVector<int32_t>({3, 0, 3, 1}, Shape{2, 2});
  GradientTape tape;
  const Tensor rows = table->ReadRows(ids);
  EXPECT_EQ(rows.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(rows.ToVector<float>(), (Floats{6, 7, 0, 1, 6, 7, 2, 3}));
  const auto gradients =
      tape.SparseGradient(ops::Multiply(rows, rows), {table});
  const auto merged = std::get<IndexedSlices>(*gradients[0]).Merged();
  EXPECT_EQ(merged.indices().ToVector<int64_t>(),
            (std::vector<int64_t>{0, 1, 3}));
  EXPECT_EQ(merged.values().ToVector<float>(), (Floats{0, 2, 4, 6, 24, 28}));
}

TEST_F(RemoteVariableTest, RowsHaveADenseGradientToo) {
  const VariablePtr table = Make("table", CountUp(Shape{3, 1}));
  GradientTape tape;
  const Tensor rows = table->ReadRows(Ids({2, 2}));
  const Gradients gradients = tape.Gradient(ops::Multiply(rows, rows), {table});
  EXPECT_EQ(gradients[0]->ToVector<float>(), (Floats{0, 0, 8}));
}

TEST_F(RemoteVariableTest, WaitsForTheCoordinator) {
  std::future<VariablePtr> found =
      std::async(std::launch::async, [&] { return Find("late"); });
  EXPECT_EQ(found.wait_for(std::chrono::milliseconds(50)),
            std::future_status::timeout);
  Make("late", Tensor::Scalar(5.0f));
  EXPECT_EQ(found.get()->Read().item<float>(), 5);
}

TEST_F(RemoteVariableTest, ProcessesMakeTheSameVariables) {
  Make("w", Tensor::Scalar(5.0f));
  ExpectError([&] { Find("b"); }, Code::kFailedPrecondition,
              "number 0 of the coordinator is 'w', here it is 'b'");
}

TEST_F(RemoteVariableTest, AFunctionMakesNoVariables) {
  const ClosureScope scope(1);
  ExpectError([&] { Make("w", Tensor::Scalar(5.0f)); },
              Code::kFailedPrecondition, "made in a scheduled function");
}

// A rule of the program runs here, and again if the value has changed.
TEST_F(RemoteVariableTest, UpdatesByARuleOfTheProgram) {
  const VariablePtr v = Make("v", Tensor::Scalar(1.0f));
  int runs = 0;
  v->Update("Double", {}, [&](Tensor& value, std::span<const Tensor>) {
    if (runs++ == 0) v->Assign(Tensor::Scalar(5.0f));
    *value.mutable_data<float>() *= 2;
  });
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(v->Read().item<float>(), 10);
}

TEST_F(RemoteVariableTest, ARuleOfTheProgramIsForOneServer) {
  const VariablePtr a = Make("a", Tensor::Scalar(1.0f));
  const VariablePtr b = Make("b", Tensor::Scalar(1.0f));
  const VariablePtr local =
      MakeVariable(Options("local", Tensor::Scalar(1.0f)));
  const auto rule = [](std::span<Tensor* const>, std::span<const Tensor>) {};
  ExpectError(
      [&] {
        UpdateTogether("Mix", {a.get(), b.get()}, {}, rule);
      },
      Code::kUnimplemented, "several parameter servers");
  ExpectError(
      [&] {
        UpdateTogether("Mix", {a.get(), local.get()}, {}, rule);
      },
      Code::kInvalidArgument, "'local' is not kept by");
}

class ShardedVariableTest : public RemoteVariableTest {
 protected:
  ShardedVariableTest() {
    Partition(FixedShardsPartitioner(2));
    w_ = Make("w", CountUp(Shape{10, 3}));
  }
  Floats RowNow(int64_t row) { return w_->Read().Row(row).ToVector<float>(); }

  VariablePtr w_;
};

TEST_F(ShardedVariableTest, IsInShardsOfRows) {
  const auto shards = ShardsOf(*Find("w"));
  ASSERT_EQ(shards.size(), 2);
  EXPECT_EQ(shards[0].place.server, 0);
  EXPECT_EQ(shards[1].place.server, 1);
  EXPECT_EQ(shards[1].begin, 5);
  EXPECT_EQ(shards[1].shape, (Shape{5, 3}));
  const auto five = ShardsOf(*Make("five", CountUp(Shape{5})));
  EXPECT_EQ(five[0].shape, Shape{3});
  EXPECT_EQ(five[1].shape, Shape{2});
}

TEST_F(ShardedVariableTest, ScalarsAndSingleRowsStayWhole) {
  EXPECT_EQ(ShardsOf(*Make("scalar", Tensor::Scalar(1.0f))).size(), 1);
  EXPECT_EQ(ShardsOf(*Make("row", CountUp(Shape{1, 8}))).size(), 1);
}

TEST_F(ShardedVariableTest, ReadsWholeSlicesAndRows) {
  EXPECT_TRUE(BitwiseEqual(w_->Read(), CountUp(Shape{10, 3})));
  const Tensor rows = w_->ReadRows(Ids({9, 0, 5, 4, 9}));
  EXPECT_EQ(rows.ToVector<float>(),
            (Floats{27, 28, 29, 0, 1, 2, 15, 16, 17, 12, 13, 14, 27, 28, 29}));
  const auto& remote = dynamic_cast<const RemoteVariable&>(*w_);
  EXPECT_TRUE(
      BitwiseEqual(remote.ReadSlice(3, 7), CountUp(Shape{10, 3}).Slice(3, 7)));
  EXPECT_EQ(remote.ReadSlice(4, 4).shape(), (Shape{0, 3}));
  ExpectError([&] { remote.ReadSlice(3, 11); }, Code::kInvalidArgument,
              "has no rows 3 to 11");
  EXPECT_EQ(w_->ReadRows(Ids({})).shape(), (Shape{0, 3}));
}

// As TensorFlow 2.21 did.
TEST_F(ShardedVariableTest, AddsAndScatters) {
  w_->AssignAdd(Tensor::Full(Shape{10, 3}, 1.0f));
  EXPECT_EQ(RowNow(9), (Floats{28, 29, 30}));
  ScatterSub(*w_, IndexedSlices(Tensor::Full(Shape{2, 3}, 1.0f), Ids({0, 9}),
                                Shape{10, 3}));
  EXPECT_EQ(RowNow(9), (Floats{27, 28, 29}));
  EXPECT_EQ(RowNow(0), (Floats{0, 1, 2}));
  EXPECT_EQ(RowNow(5), (Floats{16, 17, 18}));
  ScatterUpdate(
      *w_, IndexedSlices(CountUp(Shape{3, 3}), Ids({7, 2, 7}), Shape{10, 3}));
  EXPECT_EQ(RowNow(7), (Floats{6, 7, 8}));
  EXPECT_EQ(RowNow(2), (Floats{3, 4, 5}));
  ScatterAdd(*w_,
             IndexedSlices(Tensor::Zeros(Shape{0, 3}), Ids({}), Shape{10, 3}));
}

TEST_F(ShardedVariableTest, ReturnsTheValueAfterAnUpdate) {
  const Tensor after = AssignAddAndRead(*w_, Tensor::Full(Shape{10, 3}, 1.0f));
  EXPECT_EQ(after.shape(), (Shape{10, 3}));
  EXPECT_EQ(after.Row(9).ToVector<float>(), (Floats{28, 29, 30}));
}

TEST_F(ShardedVariableTest, GradientsAreOfTheWhole) {
  GradientTape tape;
  const Tensor whole = w_->Read();
  const Tensor rows = w_->ReadRows(Ids({9}));
  const Gradients gradients =
      tape.Gradient(ops::Add(ops::ReduceSum(ops::Multiply(whole, whole)),
                             ops::ReduceSum(ops::Multiply(rows, rows))),
                    {w_});
  EXPECT_EQ(gradients[0]->shape(), (Shape{10, 3}));
  EXPECT_EQ(gradients[0]->Row(9).ToVector<float>(), (Floats{108, 112, 116}));
  EXPECT_EQ(gradients[0]->Row(5).ToVector<float>(), (Floats{30, 32, 34}));
}

TEST_F(ShardedVariableTest, APartitionerMustFit) {
  Partition([](const TensorSpec&) { return int64_t{4}; });
  ExpectError([&] { Make("x", CountUp(Shape{3})); }, Code::kInvalidArgument,
              "must give 1 to 3 shards for float32 (3,), got 4");
}

}  // namespace
}  // namespace lockstep
