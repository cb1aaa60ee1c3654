#include "reference/data/sources/tensors.h"

#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/element_spec.h"
#include "reference/data/host_element.h"

namespace lockstep::data_internal {
namespace {

class OneElementStream final : public Stream<Structure> {
 public:
  explicit OneElementStream(Structure element) : element_(std::move(element)) {}

  int64_t Next(std::span<Structure> out) override {
    if (std::exchange(at_end_, true)) return 0;
    out.front() = std::move(element_);
    return 1;
  }

 private:
  Structure element_;
  bool at_end_ = false;
};

class TensorsNode final : public DatasetNode {
 public:
  explicit TensorsNode(const Structure& element) : element_(element) {}

  SpecStructure element_spec() const override {
    return SpecOfElement(element_);
  }
  bool spec_is_declared() const override { return true; }
  int64_t cardinality() const override { return 1; }
  bool is_light() const override { return true; }
  StreamPtr<Structure> OpenElements() const override {
    return std::make_unique<OneElementStream>(element_);
  }

 private:
  Structure element_;
};

}  // namespace

void CheckDefined(std::string_view operation, const Structure& tensors) {
  tensors.ForEach([&](const Tensor& tensor) {
    if (!tensor.defined()) {
      throw InvalidArgument("[{}] a tensor holds nothing", operation);
    }
  });
}

NodePtr MakeTensors(const Structure& element) {
  CheckDefined("FromTensors", element);
  return std::make_shared<TensorsNode>(ToHost(element));
}

}  // namespace lockstep::data_internal
