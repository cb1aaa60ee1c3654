#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/random.h"
#include "reference/data/prefetch_reader.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

template <typename Item>
class ShuffleReader final : public Reader<Item> {
 public:
  ShuffleReader(ReaderPtr<Item> input, int64_t buffer_size, Random random)
      : input_(std::move(input)), buffer_size_(buffer_size), random_(random) {}

  int64_t Next(std::span<Item> out) override {
    int64_t count = 0;
    while (count < std::min<int64_t>(std::ssize(out), kReadAhead<Item>)) {
      Fill();
      if (buffer_.empty()) break;
      Item& drawn = buffer_[random_.UniformInt(buffer_.size())];
      out[count++] = std::move(drawn);
      if (&drawn != &buffer_.back()) drawn = std::move(buffer_.back());
      buffer_.pop_back();
    }
    return count;
  }

 private:
  void Fill() {
    while (!at_end_ && std::ssize(buffer_) < buffer_size_) {
      if (next_ == end_) ReadAhead();
      const int64_t count =
          std::min(end_ - next_, buffer_size_ - std::ssize(buffer_));
      for (int64_t i = 0; i < count; ++i) {
        buffer_.push_back(std::move(ahead_[next_++]));
      }
    }
  }

  void ReadAhead() {
    ahead_.resize(kReadAhead<Item>);
    next_ = end_ = 0;
    end_ = input_->Next(ahead_);
    at_end_ = end_ == 0;
  }

  ReaderPtr<Item> input_;
  int64_t buffer_size_;
  Random random_;
  std::vector<Item> buffer_;
  std::vector<Item> ahead_;  // read, not yet in the buffer: next_ to end_
  int64_t next_ = 0;
  int64_t end_ = 0;
  bool at_end_ = false;
};

class ShuffleNode final : public SelectionNode<ShuffleNode> {
 public:
  ShuffleNode(NodePtr input, int64_t buffer_size, bool reshuffle,
              std::shared_ptr<ShuffleMemory> memory)
      : SelectionNode("Shuffle", std::move(input), NodeKind::kShuffle),
        buffer_size_(buffer_size),
        reshuffle_(reshuffle),
        memory_(std::move(memory)) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<ShuffleNode>(std::move(inputs.front()),
                                         buffer_size_, reshuffle_, memory_);
  }
  PassMemory* memory() const override { return memory_.get(); }
  ShuffleMemory* shuffle_memory() const override { return memory_.get(); }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    const ShuffleOrder order = pass->Open(*memory_);
    return std::make_unique<ShuffleReader<Item>>(
        Open<Item>(input(), pass), buffer_size_,
        Random(order.seed, reshuffle_ ? order.stream : 0));
  }

 private:
  int64_t buffer_size_;
  bool reshuffle_;
  std::shared_ptr<ShuffleMemory> memory_;
};

}  // namespace

NodePtr MakeShuffle(NodePtr input, int64_t buffer_size,
                    std::optional<uint64_t> seed,
                    bool reshuffle_each_iteration) {
  if (buffer_size < 1) {
    throw InvalidArgument("[Shuffle] buffer size must be positive, got {}",
                          buffer_size);
  }
  return std::make_shared<ShuffleNode>(
      std::move(input), buffer_size, reshuffle_each_iteration,
      std::make_shared<ShuffleMemory>(seed ? *seed : RandomSeed(),
                                      seed.has_value()));
}

namespace {

constexpr int64_t kDefaultBufferSize = 2;

class PrefetchNode final : public SelectionNode<PrefetchNode> {
 public:
  PrefetchNode(NodePtr input, int64_t buffer_size)
      : SelectionNode("Prefetch", std::move(input), NodeKind::kPrefetch),
        buffer_size_(buffer_size) {}

  // Elements are ready to take, whatever they cost to make.
  bool IsLight() const override { return true; }

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<PrefetchNode>(std::move(inputs.front()),
                                          buffer_size_);
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    if constexpr (std::is_same_v<Item, Structure>) {
      if (buffer_size_ > 0 && !input().is_light()) {
        return std::make_unique<PrefetchReader<Structure>>(
            Open<Structure>(input(), pass), buffer_size_);
      }
    }
    return Open<Item>(input(), pass);
  }

 private:
  int64_t buffer_size_;
};

}  // namespace

NodePtr MakePrefetch(NodePtr input, int64_t buffer_size) {
  if (buffer_size < 0) buffer_size = kDefaultBufferSize;
  return std::make_shared<PrefetchNode>(std::move(input), buffer_size);
}

}  // namespace lockstep::data_internal
