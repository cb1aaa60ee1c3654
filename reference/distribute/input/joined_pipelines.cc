#include "reference/distribute/input/joined_pipelines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "reference/base/check.h"
#include "reference/data/pass.h"
#include "reference/data/rebatch.h"
#include "reference/distribute/input/step_sources.h"

namespace lockstep::distribute_internal {
namespace {

using data_internal::NodePtr;
using data_internal::PassScope;
using data_internal::PassState;
using data_internal::Reader;
using data_internal::ReaderPtr;

class JoinedReader final : public Reader<Step> {
 public:
  JoinedReader(std::vector<ReaderPtr<Step>> steps,
               std::vector<Placement> placements)
      : steps_(std::move(steps)), placements_(std::move(placements)) {}

  int64_t Next(std::span<Step> out) override {
    const std::vector<std::optional<Step>> read = ReadAll();
    const auto example =
        std::ranges::find_if(read, [](const auto& step) { return !!step; });
    if (example == read.end()) return 0;
    std::vector<Structure> parts;
    for (size_t i = 0; i < read.size(); ++i) {
      const Step own = read[i].has_value()
                           ? *read[i]
                           : EmptyStep((**example)[0], placements_[i]);
      parts.insert(parts.end(), own.begin(), own.end());
    }
    out.front() = Step(std::move(parts));
    return 1;
  }

 private:
  // Reads every pipeline, also after one has failed, so that they stay at the
  // same step.
  std::vector<std::optional<Step>> ReadAll() {
    std::vector<std::optional<Step>> read(steps_.size());
    std::exception_ptr error;
    for (size_t i = 0; i < steps_.size(); ++i) {
      try {
        Step step;
        if (steps_[i]->Next({&step, 1}) == 1) read[i] = std::move(step);
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
    return read;
  }

  static Step EmptyStep(const Structure& example, const Placement& placement) {
    std::vector<Structure> parts;
    for (int replica = 0; replica < placement.replicas(); ++replica) {
      Structure part = data_internal::EmptyLike(example);
      placement.Place(part, replica);
      parts.push_back(std::move(part));
    }
    return Step(std::move(parts));
  }

  std::vector<ReaderPtr<Step>> steps_;
  std::vector<Placement> placements_;
};

class JoinedSource final : public StepSource {
 public:
  explicit JoinedSource(std::vector<InputPipeline> pipelines)
      : pipelines_(std::move(pipelines)) {}

  PerReplica<SpecStructure> element_spec() const override {
    std::vector<SpecStructure> specs;
    for (const InputPipeline& pipeline : pipelines_) {
      const PerReplica<SpecStructure> own = pipeline.steps->element_spec();
      specs.insert(specs.end(), own.begin(), own.end());
    }
    return PerReplica<SpecStructure>(std::move(specs));
  }

  int64_t cardinality() const override {
    std::vector<int64_t> lengths;
    for (const InputPipeline& pipeline : pipelines_) {
      lengths.push_back(pipeline.steps->cardinality());
    }
    return Longest(lengths);
  }

  // Each begins from the same counts of passes, although the one before it may
  // have begun a pass over the same nodes.
  ReaderPtr<Step> Open() const override {
    std::vector<PassState> before;
    for (const InputPipeline& pipeline : pipelines_) {
      before.push_back(data_internal::SavePasses(pipeline.steps->pipelines()));
    }
    std::vector<ReaderPtr<Step>> steps;
    std::vector<Placement> placements;
    for (size_t i = 0; i < pipelines_.size(); ++i) {
      const auto& [source, placement] = pipelines_[i];
      data_internal::RestorePasses(source->pipelines(), before[i],
                                   PassScope::kCounts);
      steps.push_back(source->Open());
      placements.push_back(placement);
    }
    return std::make_unique<JoinedReader>(std::move(steps),
                                          std::move(placements));
  }

  std::vector<NodePtr> pipelines() const override {
    return All(&StepSource::pipelines);
  }
  std::vector<NodePtr> datasets() const override {
    return All(&StepSource::datasets);
  }

  std::string Explain() const override {
    std::string text;
    for (size_t i = 0; i < pipelines_.size(); ++i) {
      text += fmt::format("{}pipeline {} of {}:\n{}", i == 0 ? "" : "\n", i,
                          pipelines_.size(), pipelines_[i].steps->Explain());
    }
    return text;
  }

 private:
  std::vector<NodePtr> All(std::vector<NodePtr> (StepSource::*nodes)()
                               const) const {
    std::vector<NodePtr> all;
    for (const InputPipeline& pipeline : pipelines_) {
      const std::vector<NodePtr> own = (*pipeline.steps.*nodes)();
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  std::vector<InputPipeline> pipelines_;
};

}  // namespace

StepSourcePtr JoinPipelines(std::vector<InputPipeline> pipelines) {
  LOCKSTEP_CHECK(!pipelines.empty());
  if (pipelines.size() == 1) return std::move(pipelines.front().steps);
  return std::make_shared<JoinedSource>(std::move(pipelines));
}

}  // namespace lockstep::distribute_internal
