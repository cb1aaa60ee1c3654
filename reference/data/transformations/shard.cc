#include "reference/data/transformations/shard.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::data_internal {
namespace {

template <typename Item>
class ShardStream final : public Stream<Item> {
 public:
  ShardStream(StreamPtr<Item> input, int64_t num_shards, int64_t index)
      : input_(std::move(input)), num_shards_(num_shards), index_(index) {}

  int64_t Next(std::span<Item> out) override {
    int64_t kept = 0;
    while (kept == 0) {
      const int64_t read = input_->Next(out);
      if (read == 0) return 0;
      for (int64_t i = 0; i < read; ++i) {
        if (position_++ % num_shards_ != index_) continue;
        if (i != kept) out[kept] = std::move(out[i]);
        ++kept;
      }
    }
    return kept;
  }

 private:
  StreamPtr<Item> input_;
  int64_t num_shards_;
  int64_t index_;
  int64_t position_ = 0;
};

class ShardNode final : public SelectionNode<ShardNode> {
 public:
  ShardNode(NodePtr input, int64_t num_shards, int64_t index)
      : SelectionNode(std::move(input)),
        num_shards_(num_shards),
        index_(index) {}

  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    if (all < 0) return all;
    return all / num_shards_ + (index_ < all % num_shards_ ? 1 : 0);
  }

  template <typename Item>
  StreamPtr<Item> MakeStream() const {
    return std::make_unique<ShardStream<Item>>(Open<Item>(input()), num_shards_,
                                               index_);
  }

 private:
  int64_t num_shards_;
  int64_t index_;
};

}  // namespace

NodePtr MakeShard(NodePtr input, int64_t num_shards, int64_t index) {
  if (num_shards < 1) {
    throw InvalidArgument("[Shard] number of shards must be positive, got {}",
                          num_shards);
  }
  if (index < 0 || index >= num_shards) {
    throw InvalidArgument("[Shard] index must be in 0..{}, got {}",
                          num_shards - 1, index);
  }
  return std::make_shared<ShardNode>(std::move(input), num_shards, index);
}

}  // namespace lockstep::data_internal
