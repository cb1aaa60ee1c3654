#include "reference/base/random.h"

#include <memory>
#include <optional>
#include <span>

#include "reference/data/dataset_node.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/sources/sources.h"
#include "reference/data/tf_seed.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

class RandomReader final : public Reader<Structure> {
 public:
  explicit RandomReader(const Random& random) : random_(random) {}

  int64_t Next(std::span<Structure> out) override {
    out.front() = Tensor::Scalar<int64_t>(random_.Next32(), CurrentHost());
    return 1;
  }

 private:
  Random random_;
};

class RandomNode final : public SourceNode {
 public:
  RandomNode(std::optional<int64_t> seed, bool rerandomize)
      : SourceNode("Random"), seed_(seed), rerandomize_(rerandomize) {
    if (seed && !rerandomize) return;
    memory_ = std::make_unique<ShuffleMemory>(
        seed ? ReducedSeed(*seed) : RandomSeed(), seed.has_value());
  }

  PassMemory* memory() const override { return memory_.get(); }
  ShuffleMemory* shuffle_memory() const override { return memory_.get(); }

  std::string arguments() const override {
    Arguments arguments;
    if (seed_) arguments.Add("seed", *seed_);
    return arguments
        .Add("rerandomize_each_iteration", rerandomize_, !seed_.has_value())
        .text();
  }
  SpecStructure MakeSpec() const override {
    return TensorSpec{Shape{}, DType::kInt64};
  }
  bool DeclaresSpec() const override { return true; }
  int64_t CountElements() const override { return kInfiniteCardinality; }
  bool IsLight() const override { return true; }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    if (memory_ == nullptr) {
      return std::make_unique<RandomReader>(
          OperationRandom(ReducedSeed(*seed_)));
    }
    const ShuffleOrder order = pass->Open(*memory_);
    return std::make_unique<RandomReader>(
        rerandomize_ ? PassRandom(order.seed, order.pass)
                     : OperationRandom(order.seed));
  }

 private:
  std::optional<int64_t> seed_;
  bool rerandomize_;
  // The seed, which may have been chosen, and how many passes have begun. None
  // if every pass has the numbers of the seed given.
  std::unique_ptr<ShuffleMemory> memory_;
};

}  // namespace

NodePtr MakeRandom(std::optional<int64_t> seed, bool rerandomize) {
  return std::make_shared<RandomNode>(seed, rerandomize);
}

}  // namespace lockstep::data_internal
