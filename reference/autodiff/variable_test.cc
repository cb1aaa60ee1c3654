#include "reference/autodiff/variable.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/trackable.h"
#include "reference/base/error.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

class Recorder : public PendingRestore {
 public:
  void OnChildTracked(Trackable&, const std::string& name,
                      Trackable& child) override {
    names.push_back(name);
    last = &child;
  }
  std::vector<std::string> names;
  Trackable* last = nullptr;
};

TEST(TrackableTest, ChildrenAreInOrder) {
  Trackable part_a, part_b, root;
  root.TrackChild("b", part_b);
  root.TrackChild("a", part_a);
  root.TrackChild("again", part_b);
  ASSERT_EQ(root.children().size(), 3u);
  EXPECT_EQ(root.children()[0].name, "b");
  EXPECT_EQ(root.children()[1].name, "a");
  EXPECT_EQ(root.children()[2].object, &part_b);
}

TEST(TrackableTest, NamesAreUnique) {
  Trackable part_a, part_b, root;
  root.TrackChild("a", part_a);
  root.TrackChild("a", part_a);
  EXPECT_EQ(root.children().size(), 1u);
  try {
    root.TrackChild("a", part_b);
    FAIL() << "a taken name was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("'a'"), std::string::npos);
  }
}

TEST(TrackableTest, PendingRestoresGetLaterChildren) {
  Trackable early, late, root;
  root.TrackChild("early", early);
  const auto restore = std::make_shared<Recorder>();
  root.AddPendingRestore(restore);
  root.TrackChild("late", late);
  EXPECT_EQ(restore->names, std::vector<std::string>{"late"});
  EXPECT_EQ(restore->last, &late);
  root.TrackChild("late", late);
  EXPECT_EQ(restore->names.size(), 1u);
}

TEST(TrackableTest, NodeHasNoValues) {
  Trackable node;
  EXPECT_TRUE(node.values().empty());
  EXPECT_TRUE(node.slots().empty());
}

VariableOptions Named(const std::string& name) {
  return {.initial_value = [] { return Tensor::Scalar(1.0f); }, .name = name};
}

TEST(VariableTest, WithoutACreator) {
  const VariablePtr v = MakeVariable(Named("v"));
  EXPECT_EQ(v->name(), "v");
  EXPECT_EQ(v->Read().item<float>(), 1.0f);
}

TEST(VariableTest, InnermostCreatorIsCalledFirst) {
  std::vector<std::string> asked;
  VariableCreatorScope outer([&](const VariableOptions& options) {
    asked.push_back("outer");
    return MakeVariable(options);
  });
  {
    VariableCreatorScope inner([&](VariableOptions options) {
      asked.push_back("inner");
      options.name = "renamed_" + options.name;
      return MakeVariable(options);
    });
    EXPECT_EQ(MakeVariable(Named("v"))->name(), "renamed_v");
  }
  EXPECT_EQ(asked, (std::vector<std::string>{"inner", "outer"}));
  MakeVariable(Named("v"));
  EXPECT_EQ(asked.back(), "outer");
  EXPECT_EQ(asked.size(), 3u);
}

TEST(VariableTest, HasOneNamedValue) {
  const VariablePtr v = MakeVariable(Named("dense/kernel"));
  const auto values = v->values();
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].attribute, "VARIABLE_VALUE");
  EXPECT_EQ(values[0].full_name, "dense/kernel");
  EXPECT_EQ(values[0].spec, (TensorSpec{Shape{}, DType::kFloat32}));
  EXPECT_EQ(values[0].save().item<float>(), 1.0f);
  values[0].restore(Tensor::Scalar(7.0f));
  EXPECT_EQ(v->Read().item<float>(), 7.0f);
}

LocalVariable MakeTrainableScalar(float value) {
  return LocalVariable(VariableOptions{
      .initial_value = [value] { return Tensor::Scalar(value); }, .name = "v"});
}

TEST(LocalVariableTest, UsesItsOptions) {
  int calls = 0;
  LocalVariable v({.initial_value =
                       [&] {
                         ++calls;
                         return Tensor::FromVector<int64_t>({1, 2, 3});
                       },
                   .name = "counts",
                   .trainable = false,
                   .synchronization = VariableSynchronization::kOnRead,
                   .aggregation = VariableAggregation::kSum});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(v.name(), "counts");
  EXPECT_FALSE(v.trainable());
  EXPECT_EQ(v.synchronization(), VariableSynchronization::kOnRead);
  EXPECT_EQ(v.aggregation(), VariableAggregation::kSum);
  EXPECT_EQ(v.shape(), (Shape{3}));
  EXPECT_EQ(v.dtype(), DType::kInt64);
}

TEST(LocalVariableTest, StaysOnItsDevice) {
  FakeGpu gpu;
  LocalVariable v(
      {.initial_value = [&] { return Tensor::Scalar(1.0f, gpu.device()); },
       .name = "v"});
  v.Assign(Tensor::Scalar(2.0f));
  EXPECT_EQ(&v.Read().device(), &gpu.device());
  EXPECT_EQ(v.Read().item<float>(), 2);
  LocalVariable on_host = MakeTrainableScalar(1);
  on_host.Assign(Tensor::Scalar(5.0f, gpu.device()));
  EXPECT_TRUE(on_host.Read().on_host());
  EXPECT_EQ(on_host.Read().item<float>(), 5);
}

TEST(LocalVariableTest, AssignOnAGpuWritesInPlace) {
  FakeGpu gpu;
  LocalVariable v(
      {.initial_value = [&] { return Tensor::Scalar(1.0f, gpu.device()); },
       .name = "v"});
  const void* memory = v.Read().raw_data();
  v.Assign(Tensor::Scalar(2.0f, gpu.device()));
  v.Assign(Tensor::Scalar(3.0f));
  EXPECT_EQ(v.Read().raw_data(), memory);
  const Tensor held = v.Read();
  v.Assign(Tensor::Scalar(4.0f, gpu.device()));
  EXPECT_EQ(held.item<float>(), 3);
  EXPECT_EQ(v.Read().item<float>(), 4);
  v.Assign(v.Read());
  EXPECT_EQ(v.Read().item<float>(), 4);
}

TEST(LocalVariableTest, AssignOnAGpuCopies) {
  FakeGpu gpu;
  const Tensor value = Tensor::Scalar(2.0f, gpu.device());
  LocalVariable v(
      {.initial_value = [&] { return Tensor::Scalar(1.0f, gpu.device()); },
       .name = "v"});
  v.Assign(value);
  v.Assign(Tensor::Scalar(3.0f, gpu.device()));
  EXPECT_EQ(value.item<float>(), 2);
}

TEST(LocalVariableTest, RequiresAnInitialValue) {
  try {
    LocalVariable v(VariableOptions{.name = "bare"});
    FAIL() << "made a variable without a value";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("'bare'"), std::string::npos);
  }
}

TEST(LocalVariableTest, Assignments) {
  LocalVariable v = MakeTrainableScalar(1.0f);
  v.Assign(Tensor::Scalar(5.0f));
  v.AssignAdd(Tensor::Scalar(3.0f));
  v.AssignSub(Tensor::Scalar(1.5f));
  EXPECT_EQ(v.Read().item<float>(), 6.5f);
}

TEST(LocalVariableTest, ReadValuesNeverChange) {
  LocalVariable v = MakeTrainableScalar(1.0f);
  const Tensor before = v.Read();
  v.AssignAdd(Tensor::Scalar(1.0f));
  v.Update("Scale", {}, [](Tensor& value, std::span<const Tensor>) {
    *value.mutable_data<float>() *= 10.0f;
  });
  EXPECT_EQ(before.item<float>(), 1.0f);
  EXPECT_EQ(v.Read().item<float>(), 20.0f);
}

TEST(LocalVariableTest, InitialValueNeverChanges) {
  const Tensor start = Tensor::Scalar(2.0f);
  LocalVariable v(VariableOptions{.initial_value = [&] { return start; }});
  v.AssignAdd(Tensor::Scalar(1.0f));
  EXPECT_EQ(start.item<float>(), 2.0f);
}

TEST(LocalVariableTest, UpdatesUnsharedMemoryInPlace) {
  LocalVariable v = MakeTrainableScalar(1.0f);
  const auto updated_memory = [&v] {
    const void* memory = nullptr;
    v.Update("Find", {}, [&](const Tensor& value, std::span<const Tensor>) {
      memory = value.raw_data();
    });
    return memory;
  };
  const void* memory = updated_memory();
  { const Tensor read_and_dropped = v.Read(); }
  EXPECT_EQ(updated_memory(), memory);
  const Tensor held = v.Read();
  EXPECT_NE(updated_memory(), memory);
}

TEST(LocalVariableTest, UpdateTogether) {
  LocalVariable v = MakeTrainableScalar(2.0f);
  LocalVariable w = MakeTrainableScalar(3.0f);
  const Tensor before = w.Read();
  const Tensor gradient = Tensor::Scalar(5.0f);
  int calls = 0;
  UpdateTogether(
      "Mix", {&v, &w}, {&gradient, 1},
      [&](std::span<Tensor* const> values, std::span<const Tensor> inputs) {
        ++calls;
        *values[0]->mutable_data<float>() *= inputs[0].item<float>();
        *values[1]->mutable_data<float>() -= 1;
      });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(v.Read().item<float>(), 10.0f);
  EXPECT_EQ(w.Read().item<float>(), 2.0f);
  EXPECT_EQ(before.item<float>(), 3.0f);
}

TEST(LocalVariableTest, ChangedValueHasANewId) {
  LocalVariable v = MakeTrainableScalar(1.0f);
  const uint64_t before = v.Read().id();
  EXPECT_EQ(v.Read().id(), before);
  v.AssignAdd(Tensor::Scalar(1.0f));
  EXPECT_NE(v.Read().id(), before);
}

TEST(LocalVariableTest, RefusesOtherShapesAndTypes) {
  LocalVariable v = MakeTrainableScalar(1.0f);
  const Tensor vector = Tensor::FromVector<float>({1, 2});
  const Tensor wide = Tensor::Scalar(1.0);
  for (const Tensor& wrong : {vector, wide}) {
    EXPECT_THROW(v.Assign(wrong), Error);
    EXPECT_THROW(v.AssignAdd(wrong), Error);
    EXPECT_THROW(v.AssignSub(wrong), Error);
  }
  EXPECT_EQ(v.Read().item<float>(), 1.0f);
}

TEST(LocalVariableTest, Strings) {
  LocalVariable v(VariableOptions{
      .initial_value = [] { return Tensor::Scalar<std::string>("a"); }});
  v.Assign(Tensor::Scalar<std::string>("b"));
  EXPECT_EQ(v.Read().item<std::string>(), "b");
  EXPECT_THROW(v.AssignAdd(Tensor::Scalar<std::string>("c")), Error);
}

TEST(LocalVariableTest, ConcurrentAdditions) {
  LocalVariable v = MakeTrainableScalar(0.0f);
  constexpr int kThreads = 4;
  constexpr int kAdditions = 250;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kAdditions; ++i) {
          v.AssignAdd(Tensor::Scalar(1.0f));
          v.Read();
        }
      });
    }
  }
  EXPECT_EQ(v.Read().item<float>(), kThreads * kAdditions);
}

class CrossReplicaContext : public DistributionContext {
 public:
  bool has_strategy() const override { return true; }
  int num_replicas_in_sync() const override { return 4; }
  bool in_cross_replica_context() const override { return true; }
};

TEST(DistributionContextTest, OneReplicaWithoutAStrategy) {
  DistributionContext& context = DistributionContext::Current();
  EXPECT_FALSE(context.has_strategy());
  EXPECT_EQ(context.num_replicas_in_sync(), 1);
  EXPECT_FALSE(context.in_cross_replica_context());
  EXPECT_EQ(context.replica_id_in_sync_group(), ReplicaId(0));
}

TEST(DistributionContextTest, ReducesOneReplica) {
  DistributionContext& context = DistributionContext::Current();
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean}) {
    const auto reduced = context.AllReduce(op, {Tensor::Scalar(3.0f)});
    ASSERT_EQ(reduced.size(), 1u);
    EXPECT_EQ(reduced[0].item<float>(), 3.0f);
  }
  EXPECT_TRUE(context.AllReduce(ReduceOp::kSum, {}).empty());
}

TEST(DistributionContextTest, OneReplicaReducesLikeSeveral) {
  DistributionContext& context = DistributionContext::Current();
  const Tensor three = Tensor::Scalar<int32_t>(3);
  EXPECT_EQ(context.AllReduce(ReduceOp::kSum, {three})[0].item<int32_t>(), 3);
  EXPECT_EQ(context.AllReduce(ReduceOp::kMean, {three})[0].item<double>(), 3);
  EXPECT_THROW(context.AllReduce(ReduceOp::kSum, {Tensor::Scalar(true)}),
               Error);
}

// A context in which two other replicas always contribute the same value.
class ThreeEqualReplicas : public DistributionContext {
 public:
  int num_replicas_in_sync() const override { return 3; }

 protected:
  std::vector<Tensor> ReduceValues(ReduceOp op,
                                   const std::vector<Tensor>& values) override {
    EXPECT_EQ(op, ReduceOp::kSum);
    std::vector<Tensor> sums;
    for (const Tensor& value : values) {
      std::vector<float> sum = value.ToVector<float>();
      for (float& element : sum) element *= 3;
      sums.push_back(Tensor::FromVector(sum));
    }
    return sums;
  }
};

// The gradients of the all-reduced values with respect to the inputs.
std::vector<std::vector<float>> GradientsThroughAllReduce() {
  GradientTape tape;
  const std::vector<Tensor> inputs = {Tensor::FromVector<float>({1, 2}),
                                      Tensor::FromVector<float>({4, 8})};
  for (const Tensor& input : inputs) tape.Watch(input);
  const std::vector<Tensor> sums =
      DistributionContext::Current().AllReduce(ReduceOp::kSum, inputs);
  const Tensor target = Tensor::FromVector<float>({0, 0});
  RecordOperation(sums, target, [](const Tensor&, std::span<const bool>) {
    return Gradients{Tensor::FromVector<float>({5, 5}),
                     Tensor::FromVector<float>({1, 1})};
  });
  std::vector<std::vector<float>> gradients;
  for (const auto& gradient : tape.Gradient(target, inputs)) {
    gradients.push_back(gradient->ToVector<float>());
  }
  return gradients;
}

// 5 and 1 on this replica, and the same from the two others.
TEST(DistributionContextTest, SumsGradientsOverReplicas) {
  ThreeEqualReplicas context;
  const DistributionContextScope scope(context);
  EXPECT_EQ(GradientsThroughAllReduce(),
            (std::vector<std::vector<float>>{{15, 15}, {3, 3}}));
}

TEST(DistributionContextTest, KeepsGradientsWithoutAStrategy) {
  EXPECT_EQ(GradientsThroughAllReduce(),
            (std::vector<std::vector<float>>{{5, 5}, {1, 1}}));
}

TEST(DistributionContextTest, MergeCall) {
  int calls = 0;
  DistributionContext::Current().MergeCall([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(DistributionContext::Current().MergeCall(
                   [] { throw std::runtime_error("x"); }),
               std::runtime_error);
}

TEST(DistributionContextTest, ScopesNest) {
  CrossReplicaContext outer;
  DistributionContext inner;
  {
    DistributionContextScope outer_scope(outer);
    EXPECT_EQ(&DistributionContext::Current(), &outer);
    {
      DistributionContextScope inner_scope(inner);
      EXPECT_EQ(&DistributionContext::Current(), &inner);
    }
    EXPECT_EQ(DistributionContext::Current().num_replicas_in_sync(), 4);
  }
  EXPECT_FALSE(DistributionContext::Current().has_strategy());
}

}  // namespace
}  // namespace lockstep
