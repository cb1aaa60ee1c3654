#include "reference/data/transformations/take.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace lockstep::data_internal {
namespace {

template <typename Item>
class TakeStream final : public Stream<Item> {
 public:
  TakeStream(StreamPtr<Item> input, int64_t count)
      : input_(std::move(input)), left_(count) {}

  int64_t Next(std::span<Item> out) override {
    if (left_ == 0) return 0;
    const int64_t read =
        input_->Next(out.first(std::min<int64_t>(std::ssize(out), left_)));
    left_ = read == 0 ? 0 : left_ - read;
    return read;
  }

 private:
  StreamPtr<Item> input_;
  int64_t left_;
};

class TakeNode final : public SelectionNode<TakeNode> {
 public:
  TakeNode(NodePtr input, int64_t count)
      : SelectionNode(std::move(input)), count_(count) {}

  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    if (count_ < 0 || all == kUnknownCardinality) return all;
    return all == kInfiniteCardinality ? count_ : std::min(all, count_);
  }

  template <typename Item>
  StreamPtr<Item> MakeStream() const {
    if (count_ < 0) return Open<Item>(input());
    return std::make_unique<TakeStream<Item>>(Open<Item>(input()), count_);
  }

 private:
  int64_t count_;
};

}  // namespace

NodePtr MakeTake(NodePtr input, int64_t count) {
  return std::make_shared<TakeNode>(std::move(input), count);
}

}  // namespace lockstep::data_internal
