// Makes the items of a reader ahead of time on another thread.
//
// The thread starts at the first read and makes at most `buffer_size` items
// more than were taken, plus the one that it holds. Once they are made it goes
// on as Refill says. The destructor, which may run at any time, joins it. An
// error is thrown in place of the item that it cost.
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

// When a maker that sleeps because its queue is full is woken: as soon as there
// is room, so that the queue stays full, or when half of it is empty, so that
// one wake-up, which costs more than a light item, is for several.
enum class Refill { kAtOnce, kAtHalf };

// Short: if all cores are busy the other side needs this one.
inline constexpr int kPrefetchSpins = 64;

// A bounded queue between a maker thread and a taker thread.
//
//   Ring<int> ring(2);
//   ring.Push(1);                 // maker; waits while the ring is full
//   int value; ring.Pop(&value);  // taker; waits while it is empty
//   ring.CloseByMaker();          // Pop empties the ring, then returns false
//   ring.CloseByTaker();          // Push returns false from now on
//
// Lock-free: each side publishes its progress in its own counter, and reads the
// other's only when it knows of no more room or items. A side that waits spins
// briefly, then sleeps.
template <typename Item>
class Ring {
 public:
  // REQUIRES: 1 <= capacity < 2^30.
  explicit Ring(uint32_t capacity, Refill refill = Refill::kAtOnce)
      : slots_(capacity),
        most_left_(refill == Refill::kAtOnce ? capacity : capacity / 2) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // False if the taker has closed the ring; then `item` is dropped.
  bool Push(Item item) {
    maker_.seen = taker_.progress.load(std::memory_order_acquire);
    while (!(maker_.seen & kClosed) &&
           maker_.count - (maker_.seen & ~kClosed) == kOne * slots_.size()) {
      maker_.seen = WaitForChange(taker_.progress, maker_.seen, kPrefetchSpins);
    }
    if (maker_.seen & kClosed) return false;
    slots_[maker_.slot] = std::move(item);
    Advance(maker_);
    maker_.progress.notify_one();
    return true;
  }

  // False if the maker has closed the ring and everything is taken.
  bool Pop(Item* item) {
    while (taker_.count == (taker_.seen & ~kClosed)) {
      if (taker_.seen & kClosed) return false;
      taker_.seen = WaitForChange(maker_.progress, taker_.seen, kPrefetchSpins);
    }
    *item = std::move(slots_[taker_.slot]);
    Advance(taker_);
    // Of the items left, `seen` knows some or all: it never wakes too late.
    const uint32_t left = ((taker_.seen & ~kClosed) - taker_.count) / kOne;
    if (left <= most_left_) taker_.progress.notify_one();
    return true;
  }

  // For the taker: whether Pop would not wait.
  bool CanPop() {
    if (taker_.count == (taker_.seen & ~kClosed)) {
      taker_.seen = maker_.progress.load(std::memory_order_acquire);
    }
    return taker_.count != (taker_.seen & ~kClosed) || (taker_.seen & kClosed);
  }

  void CloseByMaker() { Close(maker_); }
  void CloseByTaker() { Close(taker_); }

 private:
  // A progress word: the number of items so far (modulo 2^31) in the upper
  // bits, and in the lowest whether that side has closed the ring.
  static constexpr uint32_t kClosed = 1;
  static constexpr uint32_t kOne = 2;

  struct alignas(64) Side {
    std::atomic<uint32_t> progress{0};
    uint32_t count = 0;  // own progress without the closed bit
    uint32_t seen = 0;   // the other's progress at the last look
    size_t slot = 0;     // next one to use
  };

  void Advance(Side& side) {
    side.count += kOne;
    if (++side.slot == slots_.size()) side.slot = 0;
    // Sequentially consistent: with release alone the store could move after
    // notify_one's check for sleepers, and a wake-up would be lost.
    side.progress.store(side.count);
  }

  void Close(Side& side) {
    side.progress.store(side.count | kClosed);
    side.progress.notify_one();
  }

  std::vector<Item> slots_;
  const uint32_t most_left_;  // when a maker that sleeps is woken
  Side maker_;
  Side taker_;
};

// Lets a taker wait for the first of several PrefetchReaders.
//
//   const uint32_t seen = arrivals.load();
//   if (a.IsReady() || b.IsReady()) return;
//   WaitForChange(arrivals, seen, kPrefetchSpins);
using Arrivals = std::atomic<uint32_t>;

template <typename Item>
class PrefetchReader final : public Reader<Item> {
 public:
  // `arrivals`, which must outlive the reader, changes with every item that was
  // made, and at the end. REQUIRES: buffer_size >= 1. Limited to kMaxBufferSize.
  PrefetchReader(ReaderPtr<Item> input, int64_t buffer_size,
                 Refill refill = Refill::kAtOnce, Arrivals* arrivals = nullptr)
      : input_(std::move(input)),
        ring_(static_cast<uint32_t>(std::min(buffer_size, kMaxBufferSize)),
              refill),
        arrivals_(arrivals),
        device_(Device::Current()) {}

  // Errors: those of `input`; ResourceExhausted if no thread can be started,
  // after which the caller may try again.
  int64_t Next(std::span<Item> out) override {
    if (!maker_) Start();
    Delivery delivery;
    if (!ring_.Pop(&delivery)) return 0;
    if (delivery.error) std::rethrow_exception(std::move(delivery.error));
    out.front() = std::move(delivery.item);
    return 1;
  }

  // Whether Next would not wait. Starts the thread. Errors: as Next, of
  // starting it.
  bool IsReady() {
    if (!maker_) Start();
    return ring_.CanPop();
  }

 private:
  static constexpr int64_t kMaxBufferSize = 1 << 20;

  // An item, or the error thrown in its place.
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
      if (more) SayArrived();
    }
    ring_.CloseByMaker();
    SayArrived();
  }

  void SayArrived() {
    if (arrivals_ == nullptr) return;
    arrivals_->fetch_add(1);
    arrivals_->notify_one();
  }

  ReaderPtr<Item> input_;
  Ring<Delivery> ring_;
  Arrivals* arrivals_;
  Device& device_;
  std::optional<ThreadGroup> maker_;  // last: it uses all members above
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_PREFETCH_READER_H_
