#include "reference/data/transformations/prefetch.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "reference/data/ring.h"
#include "reference/device/device.h"

namespace lockstep::data_internal {
namespace {

constexpr int64_t kDefaultBufferSize = 2;
constexpr int64_t kMaxBufferSize = 1 << 20;

// An element, or the error that came in its place.
struct Delivery {
  Structure element;
  std::exception_ptr error;
};

class PrefetchStream final : public Stream<Structure> {
 public:
  PrefetchStream(StreamPtr<Structure> input, int64_t buffer_size)
      : input_(std::move(input)),
        ring_(static_cast<uint32_t>(buffer_size)),
        device_(Device::Current()) {}

  ~PrefetchStream() override {
    ring_.CloseByTaker();
    if (maker_.joinable()) maker_.join();
  }

  int64_t Next(std::span<Structure> out) override {
    if (!maker_.joinable()) maker_ = std::thread([this] { Make(); });
    Delivery delivery;
    if (!ring_.Pop(&delivery)) return 0;
    if (delivery.error) std::rethrow_exception(std::move(delivery.error));
    out.front() = std::move(delivery.element);
    return 1;
  }

 private:
  void Make() {
    DeviceScope scope(device_);
    bool more = true;
    while (more) {
      Delivery delivery;
      try {
        more = input_->Next({&delivery.element, 1}) == 1;
      } catch (...) {
        delivery.error = std::current_exception();
      }
      more = more && ring_.Push(std::move(delivery));
    }
    ring_.CloseByMaker();
  }

  StreamPtr<Structure> input_;
  Ring<Delivery> ring_;
  Device& device_;
  std::thread maker_;
};

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
        return std::make_unique<PrefetchStream>(Open<Structure>(input()),
                                                buffer_size_);
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
  return std::make_shared<PrefetchNode>(std::move(input),
                                        std::min(buffer_size, kMaxBufferSize));
}

}  // namespace lockstep::data_internal
