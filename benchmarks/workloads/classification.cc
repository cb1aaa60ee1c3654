#include "benchmarks/workloads/classification.h"

#include <utility>
#include <vector>

#include "benchmarks/workloads/class_figures.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/layers/layer_impl.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/loss.h"

namespace lockstep::benchmarks {
namespace {

class ImageClassification final : public Task {
 public:
  explicit ImageClassification(Layer model)
      : model_(std::move(model)), weights_(model_.trainable_variables()) {}

  ForwardPass Forward(const Structure& part,
                      int64_t global_batch_size) override {
    const Tensor logits = model_(part[0], /*training=*/true);
    const Tensor loss = WithPenalties(
        ComputeAverageLoss(cross_entropy_(part[1], logits),
                           {.global_batch_size = global_batch_size}));
    return {.loss = loss,
            .weights = weights_,
            .measure = [this, &part, loss, logits] {
              figures_.OfStep(loss, part[1], logits);
            }};
  }

  void Test(const Structure& part) override {
    const Tensor logits = model_(part[0], /*training=*/false);
    figures_.OfTest(cross_entropy_(part[1], logits), part[1], logits);
  }

  const std::vector<VariablePtr>& weights() const override { return weights_; }
  std::vector<VariablePtr> variables() const override {
    return model_.variables();
  }

  TaskFigures Figures() const override { return figures_.Get(); }
  void ResetFigures() override { figures_.Reset(); }

 private:
  Tensor WithPenalties(const Tensor& loss) const {
    const std::vector<Tensor> penalties = model_.losses();
    return penalties.empty()
               ? loss
               : ops::Add(loss, ScaleRegularizationLoss(penalties));
  }

  const losses::SparseCategoricalCrossentropy cross_entropy_{
      {.from_logits = true, .reduction = losses::Reduction::kNone}};
  Layer model_;
  const std::vector<VariablePtr> weights_;
  ClassFigures figures_;
};

}  // namespace

WorkloadData ImagesOf(const std::string& name, const std::string& source,
                      const ImageData& images) {
  return {.name = name,
          .source = source,
          .description = images.description,
          .train = ToDataset(images.train),
          .test = ToDataset(images.test),
          .train_size = images.train.size(),
          .test_size = images.test.size()};
}

std::function<std::unique_ptr<Task>()> Classification(
    std::function<Layer()> make_model) {
  return [make = std::move(make_model)] {
    return std::make_unique<ImageClassification>(make());
  };
}

}  // namespace lockstep::benchmarks
