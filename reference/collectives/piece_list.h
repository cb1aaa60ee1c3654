// A list of tensors laid end to end and cut into pieces of equal size, so that
// many small tensors and one large one split equally well over the ranks.
//
//   PieceList pieces(gradients);                   // 64-byte units
//   pieces.ForEach(0, pieces.units() / 2, [&](size_t tensor, int64_t first,
//                                             int64_t count) {
//     // elements first .. first + count - 1 of gradients[tensor]
//   });
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_PIECE_LIST_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_PIECE_LIST_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::collectives_internal {

class PieceList {
 public:
  // One cache line: no two pieces share one, and pieces stay aligned.
  static constexpr int64_t kUnitBytes = 64;

  explicit PieceList(const std::vector<Tensor>& tensors) {
    starts_.reserve(tensors.size() + 1);
    for (const Tensor& tensor : tensors) {
      const auto bytes = static_cast<int64_t>(tensor.bytes());
      per_unit_.push_back(kUnitBytes /
                          static_cast<int64_t>(DTypeSize(tensor.dtype())));
      counts_.push_back(tensor.num_elements());
      starts_.push_back(starts_.back() + (bytes + kUnitBytes - 1) / kUnitBytes);
    }
  }

  int64_t units() const { return starts_.back(); }
  int64_t bytes() const { return units() * kUnitBytes; }

  // Calls body(tensor, first element, count) for the part of each tensor in
  // the units begin .. end - 1, in order.
  template <typename Body>
  void ForEach(int64_t begin, int64_t end, const Body& body) const {
    if (begin >= end) return;
    const auto after = std::ranges::upper_bound(starts_, begin);
    for (size_t i = after - starts_.begin() - 1;
         i < counts_.size() && starts_[i] < end; ++i) {
      const int64_t first =
          std::max<int64_t>(begin - starts_[i], 0) * per_unit_[i];
      const int64_t last =
          std::min((end - starts_[i]) * per_unit_[i], counts_[i]);
      if (first < last) body(i, first, last - first);
    }
  }

 private:
  std::vector<int64_t> starts_{0};  // unit where each tensor starts; the end
  std::vector<int64_t> per_unit_;   // elements in a unit
  std::vector<int64_t> counts_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_PIECE_LIST_H_
