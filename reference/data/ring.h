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
#ifndef LOCKSTEP_REFERENCE_DATA_RING_H_
#define LOCKSTEP_REFERENCE_DATA_RING_H_

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "reference/base/spin_wait.h"

namespace lockstep::data_internal {

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

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_RING_H_
