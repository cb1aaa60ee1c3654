// The items of a stream, made ahead of time on a thread of its own.
//
// The thread starts at the first read, makes at most `buffer_size` items more
// than were taken (and holds one), and is joined by the destructor, which may
// come at any time. An error is handed on in the place of the item it cost.
#ifndef LOCKSTEP_REFERENCE_DATA_PREFETCH_STREAM_H_
#define LOCKSTEP_REFERENCE_DATA_PREFETCH_STREAM_H_

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include "reference/base/thread_group.h"
#include "reference/data/ring.h"
#include "reference/data/stream.h"
#include "reference/device/device.h"

namespace lockstep::data_internal {

template <typename Item>
class PrefetchStream final : public Stream<Item> {
 public:
  // REQUIRES: buffer_size >= 1; more than kMaxBufferSize is taken as that.
  PrefetchStream(StreamPtr<Item> input, int64_t buffer_size)
      : input_(std::move(input)),
        ring_(static_cast<uint32_t>(std::min(buffer_size, kMaxBufferSize))),
        device_(Device::Current()) {}

  // Errors: those of `input`; ResourceExhausted when the system gives no thread,
  // which may be tried again.
  int64_t Next(std::span<Item> out) override {
    if (!maker_) Start();
    Delivery delivery;
    if (!ring_.Pop(&delivery)) return 0;
    if (delivery.error) std::rethrow_exception(std::move(delivery.error));
    out.front() = std::move(delivery.item);
    return 1;
  }

 private:
  static constexpr int64_t kMaxBufferSize = 1 << 20;

  // An item, or the error that came in its place.
  struct Delivery {
    Item item;
    std::exception_ptr error;
  };

  void Start() {
    maker_.emplace(
        "Prefetch", 1, [this](int) { Make(); },
        [this] { ring_.CloseByTaker(); });
  }

  void Make() {
    DeviceScope scope(device_);
    bool more = true;
    while (more) {
      Delivery delivery;
      try {
        more = input_->Next({&delivery.item, 1}) == 1;
      } catch (...) {
        delivery.error = std::current_exception();
      }
      more = more && ring_.Push(std::move(delivery));
    }
    ring_.CloseByMaker();
  }

  StreamPtr<Item> input_;
  Ring<Delivery> ring_;
  Device& device_;
  std::optional<ThreadGroup> maker_;  // last: it uses all of the above
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_PREFETCH_STREAM_H_
