#include "reference/data/transformations/prefetch.h"

#include <memory>
#include <type_traits>
#include <utility>

#include "reference/data/prefetch_stream.h"

namespace lockstep::data_internal {
namespace {

constexpr int64_t kDefaultBufferSize = 2;

class PrefetchNode final : public SelectionNode<PrefetchNode> {
 public:
  PrefetchNode(NodePtr input, int64_t buffer_size)
      : SelectionNode(std::move(input)), buffer_size_(buffer_size) {}

  // Elements come ready to use, whatever they cost to make.
  bool is_light() const override { return true; }

  template <typename Item>
  StreamPtr<Item> MakeStream() const {
    if constexpr (std::is_same_v<Item, Structure>) {
      if (buffer_size_ > 0 && !input().is_light()) {
        return std::make_unique<PrefetchStream<Structure>>(
            Open<Structure>(input()), buffer_size_);
      }
    }
    return Open<Item>(input());
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
