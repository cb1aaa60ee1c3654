#include "reference/autodiff/gradient_tape.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "reference/base/error.h"
#include "reference/base/trace.h"

namespace lockstep {
namespace {

Tensor Zip(const Tensor& a, const Tensor& b,
           const std::function<float(float, float)>& operation) {
  std::vector<float> values;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    values.push_back(operation(a.at<float>(i), b.at<float>(i)));
  }
  return Tensor::FromVector(values, a.shape());
}

Tensor Multiply(const Tensor& a, const Tensor& b) {
  const Tensor product = Zip(a, b, std::multiplies<>());
  RecordOperation(
      {a, b}, product,
      [a, b](const Tensor& g,
             std::span<const bool>) -> std::vector<std::optional<Tensor>> {
        return {Zip(g, b, std::multiplies<>()), Zip(g, a, std::multiplies<>())};
      });
  return product;
}

Tensor Add(const Tensor& a, const Tensor& b) {
  const Tensor sum = Zip(a, b, std::plus<>());
  RecordOperation(
      {a, b}, sum,
      [](const Tensor& g,
         std::span<const bool>) -> std::vector<std::optional<Tensor>> {
        return {g, g};
      });
  return sum;
}

VariablePtr MakeScalar(float value, bool trainable = true) {
  return MakeVariable({.initial_value = [=] { return Tensor::Scalar(value); },
                       .trainable = trainable});
}

TEST(GradientTapeTest, SquareOfAVariable) {
  const VariablePtr v = MakeScalar(3);
  GradientTape tape;
  const Tensor x = v->Read();
  const Tensor y = Multiply(x, x);
  EXPECT_EQ(tape.Gradient(y, {v})[0]->item<float>(), 6);
}

TEST(GradientTapeTest, EveryReadCounts) {
  const VariablePtr v = MakeScalar(3);
  GradientTape tape;
  const Tensor y = Multiply(v->Read(), Multiply(v->Read(), v->Read()));
  EXPECT_EQ(tape.Gradient(y, {v})[0]->item<float>(), 27);
}

TEST(GradientTapeTest, ReadsBeforeAndAfterAssignmentsCount) {
  const VariablePtr v = MakeScalar(3);
  GradientTape tape;
  const Tensor before = v->Read();
  v->Assign(Tensor::Scalar(5.0f));
  const Tensor y = Multiply(before, v->Read());
  EXPECT_EQ(tape.Gradient(y, {v})[0]->item<float>(), 8);
}

TEST(GradientTapeTest, PathsAreSummed) {
  // y = (x + x) * x + x = 2 x^2 + x, so y' = 4 x + 1.
  const VariablePtr v = MakeScalar(3);
  GradientTape tape;
  const Tensor x = v->Read();
  const Tensor y = Add(Multiply(Add(x, x), x), x);
  EXPECT_EQ(tape.Gradient(y, {v})[0]->item<float>(), 13);
}

TEST(GradientTapeTest, NonScalarTargetIsSummed) {
  const Tensor x = Tensor::FromVector<float>({1, 2, 3});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = Multiply(x, x);
  EXPECT_EQ(tape.Gradient(y, std::vector<Tensor>{x})[0]->ToVector<float>(),
            (std::vector<float>{2, 4, 6}));
}

TEST(GradientTapeTest, UnreachedSourcesHaveNoGradient) {
  const VariablePtr used = MakeScalar(3), read = MakeScalar(4),
                    idle = MakeScalar(5);
  GradientTape tape;
  const Tensor y = Multiply(used->Read(), used->Read());
  read->Read();
  const auto gradients = tape.Gradient(y, {idle, used, read});
  EXPECT_FALSE(gradients[0]);
  EXPECT_EQ(gradients[1]->item<float>(), 6);
  EXPECT_FALSE(gradients[2]);
}

TEST(GradientTapeTest, ConstantTargetHasNoGradient) {
  const VariablePtr v = MakeScalar(3);
  GradientTape tape;
  v->Read();
  EXPECT_FALSE(tape.Gradient(Tensor::Scalar(1.0f), {v})[0]);
}

TEST(GradientTapeTest, WatchesNonTrainableVariables) {
  const VariablePtr v = MakeScalar(3, /*trainable=*/false);
  {
    GradientTape tape;
    const Tensor x = v->Read();
    EXPECT_FALSE(IsRecorded(x));
    EXPECT_FALSE(tape.Gradient(Multiply(x, x), {v})[0]);
  }
  GradientTape tape;
  const Tensor x = v->Read();
  tape.Watch(x);
  EXPECT_EQ(
      tape.Gradient(Multiply(x, x), std::vector<Tensor>{x})[0]->item<float>(),
      6);
}

TEST(GradientTapeTest, NewIdsCutTheGradient) {
  const VariablePtr v = MakeScalar(3);
  GradientTape tape;
  const Tensor x = v->Read();
  const Tensor y = Multiply(x, x.WithNewId());
  EXPECT_EQ(tape.Gradient(y, {v})[0]->item<float>(), 3);
}

TEST(GradientTapeTest, SourcesMayBeIntermediate) {
  const VariablePtr v = MakeScalar(3);
  GradientTape tape;
  const Tensor square = Multiply(v->Read(), v->Read());
  const Tensor y = Multiply(square, square);
  const auto gradients = tape.Gradient(y, std::vector<Tensor>{square});
  EXPECT_EQ(gradients[0]->item<float>(), 18);
}

TEST(GradientTapeTest, MarksNeededInputs) {
  const VariablePtr a = MakeScalar(2), b = MakeScalar(3);
  const Tensor input = Tensor::Scalar(1.0f);
  const Tensor output = Tensor::Scalar(6.0f);
  std::vector<bool> seen;
  GradientTape tape;
  RecordOperation(
      {input, a->Read(), b->Read()}, output,
      [&](const Tensor& g,
          std::span<const bool> needed) -> std::vector<std::optional<Tensor>> {
        seen.assign(needed.begin(), needed.end());
        return {std::nullopt, g, g};
      });
  EXPECT_TRUE(tape.Gradient(output, {a})[0]);
  EXPECT_EQ(seen, (std::vector<bool>{false, true, false}));
}

TEST(GradientTapeTest, IgnoresOtherTensors) {
  const auto token = std::make_shared<int>(0);
  GradientTape tape;
  RecordOperation({Tensor::Scalar(1.0f)}, Tensor::Scalar(1.0f),
                  [token](const Tensor&, std::span<const bool>) {
                    return std::vector<std::optional<Tensor>>(1);
                  });
  EXPECT_EQ(token.use_count(), 1);
}

TEST(GradientTapeTest, ReleasesTensorsAfterUse) {
  const VariablePtr v = MakeScalar(3);
  const auto token = std::make_shared<int>(0);
  const Tensor output = Tensor::Scalar(1.0f);
  GradientTape tape;
  RecordOperation({v->Read()}, output,
                  [token](const Tensor& g, std::span<const bool>) {
                    return std::vector<std::optional<Tensor>>{g};
                  });
  EXPECT_EQ(token.use_count(), 2);
  EXPECT_TRUE(tape.Gradient(output, {v})[0]);
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_FALSE(IsRecorded(v->Read()));
  try {
    tape.Gradient(output, {v});
    FAIL() << "a tape was used twice";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  }
}

TEST(GradientTapeTest, VariablesAreUpdatedInPlaceAfterwards) {
  const VariablePtr v = MakeScalar(3);
  const void* memory = v->Read().raw_data();
  GradientTape tape;
  const auto gradients = tape.Gradient(Multiply(v->Read(), v->Read()), {v});
  v->Update("Compare", {}, [&](const Tensor& value, std::span<const Tensor>) {
    EXPECT_EQ(value.raw_data(), memory);
  });
}

TEST(GradientTapeTest, TapesNest) {
  const VariablePtr v = MakeScalar(3);
  GradientTape outer;
  const Tensor x = v->Read();
  const Tensor square = Multiply(x, x);
  {
    GradientTape inner;
    const Tensor y = Multiply(v->Read(), x);
    EXPECT_EQ(inner.Gradient(y, {v})[0]->item<float>(), 6);
  }
  const Tensor cube = Multiply(square, v->Read());
  EXPECT_EQ(outer.Gradient(cube, {v})[0]->item<float>(), 27);
}

TEST(GradientTapeTest, AnyOrderOfDestruction) {
  const VariablePtr v = MakeScalar(3);
  auto outer = std::make_unique<GradientTape>();
  GradientTape inner;
  outer.reset();
  const Tensor x = v->Read();
  EXPECT_EQ(inner.Gradient(Multiply(x, x), {v})[0]->item<float>(), 6);
}

// Logs gradients, and the operations played back between them.
class Log {
 public:
  // An operation that passes the gradient on and logs its name.
  Tensor Operation(const std::string& name, const std::vector<Tensor>& inputs) {
    const Tensor output = Tensor::Scalar(1.0f);
    RecordOperation(inputs, output,
                    [this, name, count = inputs.size()](const Tensor& g,
                                                        std::span<const bool>) {
                      lines_.push_back(name);
                      return std::vector<std::optional<Tensor>>(count, g);
                    });
    return output;
  }
  GradientTape::OnReady OnReady() {
    return [this](size_t source, const std::optional<Tensor>& gradient) {
      lines_.push_back(
          std::to_string(source) + ": " +
          (gradient ? std::to_string(static_cast<int>(gradient->item<float>()))
                    : "none"));
    };
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

TEST(GradientTapeOnReadyTest, LastLayerComesFirst) {
  const VariablePtr a = MakeScalar(1), b = MakeScalar(1), c = MakeScalar(1);
  Log log;
  GradientTape tape;
  Tensor x = log.Operation("first", {a->Read()});
  x = log.Operation("second", {x, b->Read()});
  x = log.Operation("third", {x, c->Read()});
  const auto gradients =
      tape.Gradient(x, std::vector<VariablePtr>{a, b, c}, log.OnReady());
  EXPECT_EQ(log.lines(), (std::vector<std::string>{"third", "2: 1", "second",
                                                   "1: 1", "first", "0: 1"}));
  for (const auto& gradient : gradients) EXPECT_EQ(gradient->item<float>(), 1);
}

TEST(GradientTapeOnReadyTest, SharedSourceComesAfterItsFirstUse) {
  const VariablePtr shared = MakeScalar(1), between = MakeScalar(1);
  Log log;
  GradientTape tape;
  Tensor x = log.Operation("first", {shared->Read()});
  x = log.Operation("second", {x, between->Read()});
  x = log.Operation("third", {x, shared->Read(), shared->Read()});
  tape.Gradient(x, std::vector<VariablePtr>{shared, between}, log.OnReady());
  EXPECT_EQ(log.lines(), (std::vector<std::string>{"third", "second", "1: 1",
                                                   "first", "0: 3"}));
}

TEST(GradientTapeOnReadyTest, AssignedVariableIsComplete) {
  const VariablePtr v = MakeScalar(1);
  Log log;
  GradientTape tape;
  Tensor x = log.Operation("before", {v->Read()});
  v->Assign(Tensor::Scalar(5.0f));
  x = log.Operation("after", {x, v->Read()});
  tape.Gradient(x, std::vector<VariablePtr>{v}, log.OnReady());
  EXPECT_EQ(log.lines(), (std::vector<std::string>{"after", "before", "0: 2"}));
}

TEST(GradientTapeOnReadyTest, SourcesWithoutGradientComeFirst) {
  const VariablePtr used = MakeScalar(1), aside = MakeScalar(1),
                    idle = MakeScalar(1);
  Log log;
  GradientTape tape;
  const Tensor y = log.Operation("used", {used->Read()});
  log.Operation("aside", {aside->Read(), y});  // the target does not need it
  tape.Gradient(y, std::vector<VariablePtr>{aside, used, idle}, log.OnReady());
  EXPECT_EQ(log.lines(),
            (std::vector<std::string>{"0: none", "2: none", "used", "1: 1"}));
}

TEST(GradientTapeOnReadyTest, ConstantTargetReportsAllSources) {
  const VariablePtr v = MakeScalar(1);
  Log log;
  GradientTape tape;
  v->Read();
  tape.Gradient(Tensor::Scalar(1.0f), std::vector<VariablePtr>{v, v},
                log.OnReady());
  EXPECT_EQ(log.lines(), (std::vector<std::string>{"0: none", "1: none"}));
}

TEST(GradientTapeOnReadyTest, TargetAsSource) {
  const VariablePtr v = MakeScalar(1);
  Log log;
  GradientTape tape;
  const Tensor y = log.Operation("only", {v->Read()});
  tape.Gradient(y, std::vector<Tensor>{y}, log.OnReady());
  EXPECT_EQ(log.lines(), (std::vector<std::string>{"0: 1", "only"}));
}

TEST(GradientTapeOnReadyTest, RepeatedSourceIsReportedTwice) {
  const VariablePtr v = MakeScalar(1);
  Log log;
  GradientTape tape;
  const Tensor y = log.Operation("only", {v->Read()});
  tape.Gradient(y, std::vector<VariablePtr>{v, v}, log.OnReady());
  EXPECT_EQ(log.lines(), (std::vector<std::string>{"only", "0: 1", "1: 1"}));
}

TEST(GradientTapeOnReadyTest, ExceptionEndsTheCall) {
  const VariablePtr a = MakeScalar(1), b = MakeScalar(1);
  Log log;
  GradientTape tape;
  Tensor x = log.Operation("first", {a->Read()});
  x = log.Operation("second", {x, b->Read()});
  const auto fail = [](size_t, const std::optional<Tensor>&) {
    throw Cancelled("[Test] {}", "enough");
  };
  EXPECT_THROW(tape.Gradient(x, std::vector<VariablePtr>{a, b}, fail), Error);
  EXPECT_EQ(log.lines(), std::vector<std::string>{"second"});
}

TEST(GradientTapeTest, BelongsToItsThread) {
  const VariablePtr v = MakeScalar(3);
  GradientTape tape;
  const Tensor x = v->Read();
  std::jthread([&] {
    EXPECT_FALSE(IsRecorded(x));
    GradientTape own;
    EXPECT_EQ(
        own.Gradient(Multiply(v->Read(), v->Read()), {v})[0]->item<float>(), 6);
  }).join();
  EXPECT_TRUE(IsRecorded(x));
}

TEST(GradientTapeTest, GrowsWithTheProgram) {
  // Far more than fits into the arena.
  const VariablePtr v = MakeScalar(1);
  GradientTape tape;
  Tensor sum = v->Read();
  for (int i = 0; i < 2000; ++i) sum = Add(sum, v->Read());
  EXPECT_EQ(tape.Gradient(sum, {v})[0]->item<float>(), 2001);
}

TEST(GradientTapeTest, IntegersHaveNoGradient) {
  const Tensor x = Tensor::Scalar<int64_t>(3);
  GradientTape tape;
  tape.Watch(x);
  EXPECT_THROW(tape.Gradient(x, std::vector<Tensor>{x}), Error);
}

TEST(GradientTapeTest, TraceNamesSpans) {
  const VariablePtr v = MakeScalar(3);
  TraceTrack track;
  const TraceScope scope(&track);
  GradientTape tape;
  Tensor y = v->Read();
  {
    const TraceSpan layer("dense", "layer");
    y = Multiply(y, y);
  }
  const TraceSpan loss("loss", "loss");
  tape.Gradient(Add(y, y), {v});
  ASSERT_EQ(track.spans().size(), 3u);
  EXPECT_EQ(track.spans()[0].name, "dense");
  EXPECT_EQ(track.spans()[0].category, "layer");
  EXPECT_EQ(track.spans()[1].name, "loss");
  EXPECT_EQ(track.spans()[1].category, "backward");
  EXPECT_EQ(track.spans()[2].name, "dense");
  EXPECT_EQ(track.spans()[2].category, "backward");
}

}  // namespace
}  // namespace lockstep
