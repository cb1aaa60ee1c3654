#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/random.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/tf_seed.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

// A list of items that grows at its end. It is made of blocks, so that it never
// has room for many more items than it has.
template <typename Item>
class Blocks {
 public:
  int64_t size() const { return size_; }
  Item& operator[](int64_t index) {
    return blocks_[index / kItems][index % kItems];
  }
  void Append(Item item) {
    if (size_ % kItems == 0) {
      blocks_.push_back(std::make_unique<Item[]>(kItems));
    }
    (*this)[size_++] = std::move(item);
  }

 private:
  // Of a block; a power of two, which makes the division a shift.
  static constexpr int64_t kItems = std::bit_floor(8192 / sizeof(Item));

  std::vector<std::unique_ptr<Item[]>> blocks_;
  int64_t size_ = 0;
};

// The order of TensorFlow's shuffle: an element is drawn by number from those
// in the buffer, oldest first, and the oldest one takes its place.
template <typename Item>
class ShuffleReader final : public Reader<Item> {
 public:
  ShuffleReader(ReaderPtr<Item> input, int64_t buffer_size, Random random)
      : input_(std::move(input)), buffer_size_(buffer_size), random_(random) {}

  int64_t Next(std::span<Item> out) override {
    int64_t count = 0;
    while (count < std::min<int64_t>(std::ssize(out), kReadAhead<Item>)) {
      Fill();
      if (used_ == 0) break;
      out[count++] = Draw();
    }
    return count;
  }

 private:
  Item Draw() {
    const uint32_t random = random_.Next32();
    const int64_t drawn =
        used_ > UINT32_MAX ? random : random % static_cast<uint32_t>(used_);
    Item& place = buffer_[Wrap(oldest_ + drawn)];
    Item item = std::move(place);
    if (drawn != 0) place = std::move(buffer_[oldest_]);
    oldest_ = Wrap(oldest_ + 1);
    --used_;
    return item;
  }

  void Fill() {
    while (!at_end_ && used_ < buffer_size_) {
      if (next_ == end_) ReadAhead();
      const int64_t count = std::min(end_ - next_, buffer_size_ - used_);
      for (int64_t i = 0; i < count; ++i) Push(std::move(ahead_[next_++]));
    }
  }

  // The buffer grows until it is full once. Nothing is drawn before.
  void Push(Item item) {
    if (buffer_.size() < buffer_size_) {
      buffer_.Append(std::move(item));
    } else {
      buffer_[Wrap(oldest_ + used_)] = std::move(item);
    }
    ++used_;
  }

  int64_t Wrap(int64_t index) const {
    const int64_t size = buffer_.size();
    return index < size ? index : index - size;
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
  Blocks<Item> buffer_;  // a ring: `used_` items from `oldest_` on
  int64_t oldest_ = 0;
  int64_t used_ = 0;
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

  std::string arguments() const override {
    Arguments arguments;
    arguments.Add("buffer_size", buffer_size_);
    if (memory_->has_seed()) arguments.Add("seed", memory_->seed());
    return arguments.Add("reshuffle_each_iteration", reshuffle_, true).text();
  }
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
        reshuffle_ ? PassRandom(order.seed, order.pass)
                   : OperationRandom(order.seed));
  }

 private:
  int64_t buffer_size_;
  bool reshuffle_;
  std::shared_ptr<ShuffleMemory> memory_;
};

}  // namespace

NodePtr MakeShuffle(NodePtr input, int64_t buffer_size,
                    std::optional<int64_t> seed,
                    bool reshuffle_each_iteration) {
  if (buffer_size < 1) {
    throw InvalidArgument("[Shuffle] buffer size must be positive, got {}",
                          buffer_size);
  }
  return std::make_shared<ShuffleNode>(
      std::move(input), buffer_size, reshuffle_each_iteration,
      std::make_shared<ShuffleMemory>(seed ? ReducedSeed(*seed) : RandomSeed(),
                                      seed.has_value()));
}

}  // namespace lockstep::data_internal
