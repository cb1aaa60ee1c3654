#include "reference/distribute/input/distributed_dataset.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/distribute/input/delivery.h"
#include "reference/distribute/input/step_sources.h"

namespace lockstep {

DistributedIterator::DistributedIterator(
    distribute_internal::StepSourcePtr source)
    : source_(std::move(source)) {
  Open();
}

void DistributedIterator::Open() {
  place_ = {.passes = data_internal::SavePasses(source_->pipelines())};
  steps_ = source_->Open();
}

void DistributedIterator::GoTo(const Place& place) {
  data_internal::RestorePasses(source_->pipelines(), place.passes,
                               data_internal::PassScope::kAll);
  Open();
  Element last;
  if (SkipTo(place.steps, place.errors, &last)) return;
  throw InvalidArgument(
      "[GoTo] step {} after {} errors does not exist: the data have {} steps "
      "and {} errors",
      place.steps, place.errors, place_.steps, place_.errors);
}

bool DistributedIterator::SkipTo(int64_t steps, int64_t errors, Element* last) {
  while (place_.steps < steps || place_.errors < errors) {
    if (!SkipOne(errors, last)) return false;
  }
  return true;
}

bool DistributedIterator::SkipOne(int64_t expected_errors, Element* last) {
  try {
    return Next(last);
  } catch (const Error&) {
    if (place_.errors > expected_errors) throw;
    return true;
  }
}

bool DistributedIterator::Next(Element* step) {
  const DistributionContext& context = DistributionContext::Current();
  if (context.in_run()) {
    throw FailedPrecondition(
        "[GetNext] next(iterator) should be called from outside of replica_fn; "
        "the replicas get what it returns as an argument");
  }
  try {
    const bool found = steps_->Next({step, 1}) == 1;
    if (found) ++place_.steps;
    return found;
  } catch (...) {
    ++place_.errors;
    throw;
  }
}

DistributedIterator::Element DistributedIterator::GetNext() {
  Element step;
  if (!Next(&step)) throw OutOfRange("[GetNext] End of sequence");
  return step;
}

Optional<DistributedIterator::Element>
DistributedIterator::GetNextAsOptional() {
  Element step;
  if (!Next(&step)) return {};
  return Optional<Element>(std::move(step));
}

std::vector<uint64_t> DistributedDataset::SavePasses() const {
  return data_internal::SavePasses(source_->pipelines());
}

void DistributedDataset::RestorePasses(std::span<const uint64_t> passes) const {
  data_internal::RestorePasses(source_->pipelines(), passes,
                               data_internal::PassScope::kAll);
}

namespace {

bool AllEqual(const std::vector<std::string>& texts) {
  return std::ranges::all_of(
      texts, [&](const std::string& text) { return text == texts.front(); });
}

// "int64 (None,) on each of 2 replicas"; different ones by replica.
std::string SpecText(const DistributedDataset& inputs) {
  std::vector<std::string> specs;
  try {
    const PerReplica<SpecStructure> own = inputs.element_spec();
    for (const SpecStructure& spec : own) {
      specs.push_back(ToString(spec));
    }
  } catch (const std::exception& error) {
    return std::string("unknown: ") + error.what();
  }
  if (specs.size() == 1) return specs.front();
  if (AllEqual(specs)) {
    return fmt::format("{} on each of {} replicas", specs.front(),
                       specs.size());
  }
  std::string text;
  for (size_t replica = 0; replica < specs.size(); ++replica) {
    text += fmt::format("{}{} on replica {}", replica == 0 ? "" : ", ",
                        specs[replica], replica);
  }
  return text;
}

}  // namespace

std::string ToString(const DistributedDataset& inputs) {
  return fmt::format(
      "DistributedDataset\nelement_spec: {}\ncardinality: {}\n{}",
      SpecText(inputs), data_internal::CardinalityText(inputs.cardinality()),
      inputs.source()->Explain());
}

InputContext::InputContext(int num_input_pipelines, int input_pipeline_id,
                           int num_replicas_in_sync)
    : num_input_pipelines_(num_input_pipelines),
      input_pipeline_id_(input_pipeline_id),
      num_replicas_in_sync_(num_replicas_in_sync) {
  if (input_pipeline_id < 0 || input_pipeline_id >= num_input_pipelines) {
    throw InvalidArgument("[InputContext] pipeline {} of {} does not exist",
                          input_pipeline_id, num_input_pipelines);
  }
  if (num_replicas_in_sync < 1) {
    throw InvalidArgument("[InputContext] replicas must be positive, got {}",
                          num_replicas_in_sync);
  }
}

int64_t InputContext::GetPerReplicaBatchSize(int64_t global_batch_size) const {
  if (global_batch_size < 0 || global_batch_size % num_replicas_in_sync_ != 0) {
    throw InvalidArgument(
        "[InputContext] The `global_batch_size` {} is not divisible by "
        "`num_replicas_in_sync` {}",
        global_batch_size, num_replicas_in_sync_);
  }
  return global_batch_size / num_replicas_in_sync_;
}

std::string ToString(const InputContext& context) {
  return fmt::format(
      "tf.distribute.InputContext(input pipeline id {}, total: {})",
      context.input_pipeline_id(), context.num_input_pipelines());
}

namespace {

void Check(std::string_view operation, const Topology& topology,
           const std::vector<Device*>& devices, const InputOptions& options) {
  if (std::ssize(devices) != topology.num_local_replicas()) {
    throw InvalidArgument(
        "[{}] requires a device for each of {} replicas, got {}", operation,
        topology.num_local_replicas(), devices.size());
  }
  const bool per_replica =
      options.replication_mode == InputReplicationMode::kPerReplica;
  if (options.place_dataset_on_device &&
      (!per_replica || options.fetch_to_device)) {
    throw InvalidArgument(
        "[{}] place_dataset_on_device requires replication mode kPerReplica "
        "and "
        "fetch_to_device false",
        operation);
  }
}

}  // namespace

DistributedDataset DistributeDataset(const Topology& topology,
                                     const std::vector<Device*>& devices,
                                     const Dataset& dataset,
                                     const InputOptions& options) {
  Check("DistributeDataset", topology, devices, options);
  if (options.replication_mode == InputReplicationMode::kPerReplica) {
    throw Unimplemented(
        "[DistributeDataset] replication mode kPerReplica is only supported in "
        "`distribute_datasets_from_function`");
  }
  return DistributedDataset(distribute_internal::MakeRebatchedSource(
      dataset,
      {.workers = topology.num_workers(),
       .worker = topology.worker().value(),
       .replicas = topology.num_replicas_in_sync()},
      {devices, options.fetch_to_device}));
}

DistributedDataset DistributeDatasetsFromFunction(
    const Topology& topology, const std::vector<Device*>& devices,
    const DatasetFunction& function, const InputOptions& options) {
  Check("DistributeDatasetsFromFunction", topology, devices, options);
  if (!function) {
    throw InvalidArgument(
        "[DistributeDatasetsFromFunction] there is no function");
  }
  const int replicas = topology.num_replicas_in_sync();
  std::vector<Dataset> datasets;
  const auto make = [&](int pipelines, int id) {
    datasets.push_back(function(InputContext(pipelines, id, replicas)));
  };
  if (options.replication_mode == InputReplicationMode::kPerWorker) {
    make(topology.num_workers(), topology.worker().value());
  } else {
    for (LocalIndex r(0); r < topology.num_local_replicas(); ++r) {
      make(replicas, topology.GlobalId(r).value());
    }
  }
  return DistributedDataset(distribute_internal::MakeCollectedSource(
      std::move(datasets), {devices, options.fetch_to_device},
      options.place_dataset_on_device));
}

}  // namespace lockstep
