#include <algorithm>
#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

template <typename Item>
class TakeReader final : public Reader<Item> {
 public:
  TakeReader(ReaderPtr<Item> input, int64_t count)
      : input_(std::move(input)), left_(count) {}

  int64_t Next(std::span<Item> out) override {
    if (left_ == 0) return 0;
    const int64_t read =
        input_->Next(out.first(std::min<int64_t>(std::ssize(out), left_)));
    left_ = read == 0 ? 0 : left_ - read;
    return read;
  }

 private:
  ReaderPtr<Item> input_;
  int64_t left_;
};

class TakeNode final : public SelectionNode<TakeNode> {
 public:
  TakeNode(NodePtr input, int64_t count)
      : SelectionNode("Take", std::move(input)), count_(count) {}

  int64_t CountElements() const override {
    const int64_t all = input().cardinality();
    if (count_ < 0 || all == kUnknownCardinality) return all;
    return all == kInfiniteCardinality ? count_ : std::min(all, count_);
  }

  std::string arguments() const override {
    return Arguments().Add("count", count_).text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<TakeNode>(std::move(inputs.front()), count_);
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    if (count_ < 0) return Open<Item>(input(), pass);
    return std::make_unique<TakeReader<Item>>(Open<Item>(input(), pass),
                                              count_);
  }

 private:
  int64_t count_;
};

}  // namespace

NodePtr MakeTake(NodePtr input, int64_t count) {
  return std::make_shared<TakeNode>(std::move(input), count);
}

namespace {

template <typename Item>
class SkipReader final : public Reader<Item> {
 public:
  SkipReader(ReaderPtr<Item> input, int64_t count)
      : input_(std::move(input)), to_skip_(count) {}

  int64_t Next(std::span<Item> out) override {
    while (to_skip_ > 0) {
      const int64_t skipped =
          input_->Next(out.first(std::min<int64_t>(std::ssize(out), to_skip_)));
      if (skipped == 0) return 0;
      to_skip_ -= skipped;
    }
    return input_->Next(out);
  }

 private:
  ReaderPtr<Item> input_;
  int64_t to_skip_;
};

class SkipNode final : public SelectionNode<SkipNode> {
 public:
  SkipNode(NodePtr input, int64_t count)
      : SelectionNode("Skip", std::move(input)), count_(count) {}

  int64_t CountElements() const override {
    const int64_t all = input().cardinality();
    return all < 0 ? all : std::max<int64_t>(0, all - count_);
  }

  std::string arguments() const override {
    return Arguments().Add("count", count_).text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<SkipNode>(std::move(inputs.front()), count_);
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    return std::make_unique<SkipReader<Item>>(Open<Item>(input(), pass),
                                              count_);
  }

 private:
  int64_t count_;
};

}  // namespace

NodePtr MakeSkip(NodePtr input, int64_t count) {
  if (count < 0) return MakeTake(std::move(input), 0);
  return std::make_shared<SkipNode>(std::move(input), count);
}

namespace {

template <typename Item>
class ShardReader final : public Reader<Item> {
 public:
  ShardReader(ReaderPtr<Item> input, int64_t num_shards, int64_t index)
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
  ReaderPtr<Item> input_;
  int64_t num_shards_;
  int64_t index_;
  int64_t position_ = 0;
};

class ShardNode final : public SelectionNode<ShardNode> {
 public:
  ShardNode(NodePtr input, int64_t num_shards, int64_t index)
      : SelectionNode("Shard", std::move(input), NodeKind::kShard),
        num_shards_(num_shards),
        index_(index) {}

  int64_t CountElements() const override {
    const int64_t all = input().cardinality();
    if (all < 0) return all;
    return all / num_shards_ + (index_ < all % num_shards_ ? 1 : 0);
  }

  std::string arguments() const override {
    return Arguments()
        .Add("num_shards", num_shards_)
        .Add("index", index_)
        .text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<ShardNode>(std::move(inputs.front()), num_shards_,
                                       index_);
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    return std::make_unique<ShardReader<Item>>(Open<Item>(input(), pass),
                                               num_shards_, index_);
  }

 private:
  int64_t num_shards_;
  int64_t index_;
};

// All items, until AutoShard replaces the node with a shard.
class ShardHintNode final : public SelectionNode<ShardHintNode> {
 public:
  explicit ShardHintNode(NodePtr input)
      : SelectionNode("ShardHint", std::move(input), NodeKind::kShardHint) {}

  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<ShardHintNode>(std::move(inputs.front()));
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    return Open<Item>(input(), pass);
  }
};

}  // namespace

NodePtr MakeShard(NodePtr input, int64_t num_shards, int64_t index) {
  if (num_shards == kShardHint && index >= 0) {
    return std::make_shared<ShardHintNode>(std::move(input));
  }
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

namespace {

class OptionsNode final : public SelectionNode<OptionsNode> {
 public:
  OptionsNode(NodePtr input, const DatasetOptions& options)
      : SelectionNode("Options", std::move(input), NodeKind::kOptions),
        options_(options) {}

  std::string arguments() const override {
    return Arguments()
        .Add("auto_shard_policy", ToString(options_.auto_shard_policy))
        .Add("element_log", options_.element_log, std::string())
        .text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<OptionsNode>(std::move(inputs.front()), options_);
  }

  template <typename Item>
  ReaderPtr<Item> MakeReader(const PassPtr& pass) const {
    return Open<Item>(input(), pass);
  }

  const DatasetOptions* options() const override { return &options_; }

 private:
  DatasetOptions options_;
};

}  // namespace

NodePtr MakeOptions(NodePtr input, const DatasetOptions& options) {
  return std::make_shared<OptionsNode>(std::move(input), options);
}

}  // namespace lockstep::data_internal
