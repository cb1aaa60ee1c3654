#include "reference/distribute/input/placement.h"

#include <algorithm>
#include <utility>

namespace lockstep::distribute_internal {

Placement::Placement(std::vector<Device*> devices, bool fetch_to_device)
    : devices_(std::move(devices)), fetch_to_device_(fetch_to_device) {
  for (Device* device : devices_) {
    const bool copies = fetch_to_device_ && !device->on_host();
    rings_.push_back(copies ? std::make_shared<CopyRing>(*device) : nullptr);
  }
}

Structure Placement::Place(Structure element, int replica) const {
  if (!fetch_to_device_) return element;
  if (element.is_leaf()) {
    element.leaf() = PlaceTensor(element.leaf(), replica);
    return element;
  }
  return element.Map<Tensor>(
      [&](const Tensor& leaf) { return PlaceTensor(leaf, replica); });
}

Tensor Placement::PlaceTensor(const Tensor& tensor, int replica) const {
  const bool copied = rings_[replica] != nullptr && tensor.on_host() &&
                      tensor.dtype() != DType::kString && tensor.bytes() > 0;
  if (!copied) return tensor.To(device(replica));
  return Tensor::FromBuffer(
      rings_[replica]->Copy(tensor.raw_data(), tensor.bytes()), tensor.shape(),
      tensor.dtype());
}

bool Placement::is_light() const {
  return !fetch_to_device_ ||
         std::ranges::all_of(devices_, [](const Device* device) {
           return device->kind() == DeviceKind::kCpu;
         });
}

bool Placement::copies() const {
  return std::ranges::any_of(rings_, [](const auto& ring) { return !!ring; });
}

CopyMarks Placement::MarkCopies() const {
  CopyMarks marks;
  for (const auto& ring : rings_) {
    marks.push_back(ring ? ring->Mark() : nullptr);
  }
  return marks;
}

void Placement::Deliver(const CopyMarks& copied) const {
  for (size_t i = 0; i < rings_.size(); ++i) {
    if (rings_[i]) rings_[i]->Deliver(*copied[i]);
  }
}

}  // namespace lockstep::distribute_internal
