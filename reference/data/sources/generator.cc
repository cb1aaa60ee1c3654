#include <exception>
#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/sources/sources.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

using Generator = std::function<std::optional<Structure>()>;
using StartGenerator = std::function<Generator()>;

class GeneratorReader final : public Reader<Structure> {
 public:
  GeneratorReader(StartGenerator start, SpecStructure spec)
      : start_(std::move(start)), spec_(std::move(spec)) {}

  int64_t Next(std::span<Structure> out) override {
    if (at_end_) return 0;
    std::optional<Structure> element = Call();
    if (!element.has_value()) {
      at_end_ = true;
      return 0;
    }
    CheckElement("FromGenerator", spec_, *element);
    out.front() = *std::move(element);
    return 1;
  }

 private:
  std::optional<Structure> Call() {
    try {
      const HostScope scope;
      if (!generator_) generator_ = start_();
      std::optional<Structure> element = generator_();
      if (element.has_value()) element = ToHost(*std::move(element));
      return element;
    } catch (const Error&) {
      throw;
    } catch (const std::exception& e) {
      throw InvalidArgument("[FromGenerator] the generator failed: {}",
                            e.what());
    }
  }

  StartGenerator start_;
  SpecStructure spec_;
  Generator generator_;
  bool at_end_ = false;
};

class GeneratorNode final : public SourceNode {
 public:
  GeneratorNode(StartGenerator start, SpecStructure spec)
      : SourceNode("Generator"),
        start_(std::move(start)),
        spec_(std::move(spec)) {}

  SpecStructure MakeSpec() const override { return spec_; }
  bool DeclaresSpec() const override { return true; }
  bool repeats() const override { return false; }
  int64_t CountElements() const override { return kUnknownCardinality; }
  ReaderPtr<Structure> OpenElements(const PassPtr&) const override {
    return std::make_unique<GeneratorReader>(start_, spec_);
  }

 private:
  StartGenerator start_;
  SpecStructure spec_;
};

}  // namespace

NodePtr MakeGenerator(StartGenerator start, SpecStructure element_spec) {
  if (!start) throw InvalidArgument("[FromGenerator] there is no generator");
  return std::make_shared<GeneratorNode>(std::move(start),
                                         std::move(element_spec));
}

}  // namespace lockstep::data_internal
