// A sequence of items read once from front to back, many at a time.
//
// Transformations that only choose and order items (shuffle, take, repeat ...)
// are written once for any item, and used with two: Structure (the elements
// themselves) and int64_t (row numbers of a Table, so that no element is made
// before it is needed).
#ifndef LOCKSTEP_REFERENCE_DATA_STREAM_H_
#define LOCKSTEP_REFERENCE_DATA_STREAM_H_

#include <cstdint>
#include <memory>
#include <span>

namespace lockstep::data_internal {

template <typename Item>
class Stream {
 public:
  Stream() = default;
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Puts the next items into the front of `out` and returns how many: at least
  // one and at most out.size(), or 0 at the end, and for ever after.
  // An exception costs the item that caused it; the next call goes on behind.
  // REQUIRES: out is not empty.
  virtual int64_t Next(std::span<Item> out) = 0;
};

template <typename Item>
using StreamPtr = std::unique_ptr<Stream<Item>>;

// How many items are read ahead where that has no visible effect: row numbers
// are free, elements may run a user's function.
template <typename Item>
inline constexpr int64_t kReadAhead = 1;
template <>
inline constexpr int64_t kReadAhead<int64_t> = 1024;

// Fills `out` unless the stream ends before. Returns the items read.
template <typename Item>
int64_t ReadFully(Stream<Item>& stream, std::span<Item> out) {
  int64_t filled = 0;
  while (filled < std::ssize(out)) {
    const int64_t read = stream.Next(out.subspan(filled));
    if (read == 0) break;
    filled += read;
  }
  return filled;
}

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_STREAM_H_
