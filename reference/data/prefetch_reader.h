// The items of a reader, made ahead of time on a thread of its own.
//
// The thread starts at the first read, makes at most `buffer_size` items more
// than were taken (and holds one), and is joined by the destructor, which may
// come at any time. An error is handed on in the place of the item it cost.
#ifndef LOCKSTEP_REFERENCE_DATA_PREFETCH_READER_H_
#define LOCKSTEP_REFERENCE_DATA_PREFETCH_READER_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reference/base/threads.h"
#include "reference/data/dataset_node.h"
#include "reference/device/device.h"

namespace lockstep::data_internal {

// A bounded queue between one thread that makes and one that takes.
//
//   Ring<int> ring(2);
//   ring.Push(1);                 // maker; waits while the ring is full
//   int value; ring.Pop(&value);  // taker; waits while it is empty
//   ring.CloseByMaker();          // Pop empties the ring, then returns false
//   ring.CloseByTaker();          // Push returns false from now on
//
// No locks: each side publishes how far it is in a counter of its own and
// reads the other's only when it knows of no more room or items. A side that
// waits spins briefly, then sleeps.
template <typename Item>
class Ring {
 public:
  // REQUIRES: 1 <= capacity < 2^30.
  explicit Ring(uint32_t capacity) : slots_(capacity) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // False when the taker has closed the ring; `item` is then dropped.
  bool Push(Item item) {
    maker_.seen = taker_.progress.load(std::memory_order_acquire);
    while (!(maker_.seen & kClosed) &&
           maker_.count - (maker_.seen & ~kClosed) == kOne * slots_.size()) {
      maker_.seen = WaitForChange(taker_.progress, maker_.seen, kSpins);
    }
    if (maker_.seen & kClosed) return false;
    slots_[maker_.slot] = std::move(item);
    Advance(maker_);
    return true;
  }

  // False when the maker has closed the ring and everything is taken.
  bool Pop(Item* item) {
    while (taker_.count == (taker_.seen & ~kClosed)) {
      if (taker_.seen & kClosed) return false;
      taker_.seen = WaitForChange(maker_.progress, taker_.seen, kSpins);
    }
    *item = std::move(slots_[taker_.slot]);
    Advance(taker_);
    return true;
  }

  void CloseByMaker() { Close(maker_); }
  void CloseByTaker() { Close(taker_); }

 private:
  // A progress word: how many items in all (modulo 2^31) in the upper bits,
  // whether that side has closed the ring in the lowest.
  static constexpr uint32_t kClosed = 1;
  static constexpr uint32_t kOne = 2;

  // Short: with other work on all cores the other side needs this one.
  static constexpr int kSpins = 64;

  struct alignas(64) Side {
    std::atomic<uint32_t> progress{0};
    uint32_t count = 0;  // own progress without the closed bit
    uint32_t seen = 0;   // the other's progress at the last look
    size_t slot = 0;     // next one to use
  };

  void Advance(Side& side) {
    side.count += kOne;
    if (++side.slot == slots_.size()) side.slot = 0;
    // Not merely release: a wake-up would be lost if the store came after the
    // look for sleepers in notify_one.
    side.progress.store(side.count);
    side.progress.notify_one();
  }

  void Close(Side& side) {
    side.progress.store(side.count | kClosed);
    side.progress.notify_one();
  }

  std::vector<Item> slots_;
  Side maker_;
  Side taker_;
};

template <typename Item>
class PrefetchReader final : public Reader<Item> {
 public:
  // REQUIRES: buffer_size >= 1; more than kMaxBufferSize is taken as that.
  PrefetchReader(ReaderPtr<Item> input, int64_t buffer_size)
      : input_(std::move(input)),
        ring_(static_cast<uint32_t>(std::min(buffer_size, kMaxBufferSize))),
        device_(Device::Current()) {}

  // Errors: those of `input`; ResourceExhausted when the system gives no
  // thread, which may be tried again.
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

  ReaderPtr<Item> input_;
  Ring<Delivery> ring_;
  Device& device_;
  std::optional<ThreadGroup> maker_;  // last: it uses all of the above
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_PREFETCH_READER_H_
