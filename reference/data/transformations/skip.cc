#include "reference/data/transformations/skip.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/data/transformations/take.h"

namespace lockstep::data_internal {
namespace {

template <typename Item>
class SkipStream final : public Stream<Item> {
 public:
  SkipStream(StreamPtr<Item> input, int64_t count)
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
  StreamPtr<Item> input_;
  int64_t to_skip_;
};

class SkipNode final : public SelectionNode<SkipNode> {
 public:
  SkipNode(NodePtr input, int64_t count)
      : SelectionNode(std::move(input)), count_(count) {}

  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    return all < 0 ? all : std::max<int64_t>(0, all - count_);
  }

  template <typename Item>
  StreamPtr<Item> MakeStream() const {
    return std::make_unique<SkipStream<Item>>(Open<Item>(input()), count_);
  }

 private:
  int64_t count_;
};

}  // namespace

NodePtr MakeSkip(NodePtr input, int64_t count) {
  if (count < 0) return MakeTake(std::move(input), 0);
  return std::make_shared<SkipNode>(std::move(input), count);
}

}  // namespace lockstep::data_internal
