#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/data/prefetch_reader.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

constexpr int64_t kDefaultBufferSize = 2;

class PrefetchNode final : public SelectionNode<PrefetchNode> {
 public:
  PrefetchNode(NodePtr input, int64_t buffer_size)
      : SelectionNode("Prefetch", std::move(input), NodeKind::kPrefetch),
        buffer_size_(buffer_size) {}

  // Elements are ready to take, whatever they cost to make.
  bool IsLight() const override { return true; }

  std::string arguments() const override {
    return Arguments().Add("buffer_size", buffer_size_).text();
  }
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
