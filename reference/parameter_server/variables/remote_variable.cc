#include "reference/parameter_server/variables/remote_variable.h"

#include <algorithm>
#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/kernels/movement/movement.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

std::vector<VariableShard> ShardsIn(const PublishedVariable& published) {
  const Shape& shape = published.spec.shape;
  if (published.rows.empty()) return {{published.places[0], 0, shape}};
  std::vector<VariableShard> shards;
  int64_t begin = 0;
  for (size_t i = 0; i < published.places.size(); ++i) {
    const int64_t rows = published.rows[i];
    shards.push_back({published.places[i], begin, shape.WithDim(0, rows)});
    begin += rows;
  }
  return shards;
}

std::vector<Place> PlacesOf(const std::vector<VariableShard>& shards) {
  std::vector<Place> places;
  for (const VariableShard& shard : shards) places.push_back(shard.place);
  return places;
}

// One tensor of all parts along axis 0.
Tensor Join(std::vector<Tensor> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  return kernels::Concat(parts, 0);
}

}  // namespace

RemoteVariable::RemoteVariable(std::shared_ptr<RemoteHome> home,
                               const PublishedVariable& published,
                               const VariableOptions& options)
    : home_(std::move(home)),
      name_(published.name),
      spec_(published.spec),
      trainable_(options.trainable),
      synchronization_(options.synchronization),
      aggregation_(options.aggregation),
      shards_(ShardsIn(published)) {}

LocalVariable& RemoteVariable::OwnCopy(std::string_view update) {
  throw Internal("[{}] variable '{}' is kept by parameter servers", update,
                 name_);
}

void RemoteVariable::CheckFits(const char* operation,
                               const Tensor& value) const {
  if (SpecOf(value) == spec_) return;
  throw InvalidArgument("[{}] variable '{}' is {}, got {}", operation, name_,
                        ToString(spec_), Describe(value));
}

Tensor RemoteVariable::Read() const {
  const HostScope scope;
  std::vector<Tensor> parts;
  for (VersionedValue& part : home_->client().Read(PlacesOf(shards_))) {
    parts.push_back(std::move(part.value));
  }
  Tensor value = Join(std::move(parts));
  RecordVariableRead(*this, value);
  return value;
}

Tensor RemoteVariable::ReadRows(const Tensor& indices) const {
  if (shape().rank() == 0 || !IsInteger(indices.dtype())) {
    throw InvalidArgument("[ReadRows] {} are no rows of '{}' {}",
                          Describe(indices), name_, ToString(shape()));
  }
  const HostScope scope;
  const Tensor flat = indices.ToHost()
                          .Cast(DType::kInt64)
                          .Reshape(Shape{indices.num_elements()});
  const Tensor rows = Gathered(flat).Reshape(
      kernels_internal::GatheredShape(indices.shape(), shape()));
  // Stands for the value, which is not here.
  const Tensor value = Tensor::Scalar(false);
  RecordVariableRead(*this, value);
  RecordGather(value, shape(), indices, rows);
  return rows;
}

// REQUIRES: int64 [n].
Tensor RemoteVariable::Gathered(const Tensor& rows) const {
  const std::vector<RowsOfShard> parts = Divide("ReadRows", rows);
  if (parts.empty()) return ZerosOnHost(shape().WithDim(0, 0), dtype());
  std::vector<Place> places;
  std::vector<Tensor> wanted;
  std::vector<Tensor> positions;
  for (const RowsOfShard& part : parts) {
    places.push_back(shards_[part.shard].place);
    wanted.push_back(part.rows);
    positions.push_back(part.positions);
  }
  std::vector<Tensor> values;
  for (VersionedValue& value : home_->client().Read(places, wanted)) {
    values.push_back(std::move(value.value));
  }
  if (parts.size() == 1) return values[0];
  Tensor in_order = EmptyOnHost(shape().WithDim(0, rows.dim(0)), dtype());
  kernels::AssignRows(in_order, Join(std::move(positions)),
                      Join(std::move(values)));
  return in_order;
}

std::vector<RemoteVariable::RowsOfShard> RemoteVariable::Divide(
    const char* operation, const Tensor& rows) const {
  std::vector<std::vector<int64_t>> own(shards_.size());
  std::vector<std::vector<int64_t>> positions(shards_.size());
  for (int64_t i = 0; i < rows.dim(0); ++i) {
    const int64_t row = rows.at<int64_t>(i);
    if (row < 0 || row >= shape()[0]) {
      throw InvalidArgument("[{}] '{}' has {} rows, got row {}", operation,
                            name_, shape()[0], row);
    }
    const auto after =
        std::ranges::upper_bound(shards_, row, {}, &VariableShard::begin);
    const size_t shard = after - shards_.begin() - 1;
    own[shard].push_back(row - shards_[shard].begin);
    positions[shard].push_back(i);
  }
  std::vector<RowsOfShard> parts;
  for (size_t s = 0; s < shards_.size(); ++s) {
    if (own[s].empty()) continue;
    parts.push_back(
        {s, Tensor::FromVector(own[s]), Tensor::FromVector(positions[s])});
  }
  return parts;
}

Tensor RemoteVariable::ReadSlice(int64_t begin, int64_t end) const {
  if (shape().rank() == 0 || begin < 0 || begin > end || end > shape()[0]) {
    throw InvalidArgument("[ReadSlice] '{}' {} has no rows {} to {}", name_,
                          ToString(shape()), begin, end);
  }
  std::vector<int64_t> rows;
  for (int64_t row = begin; row < end; ++row) rows.push_back(row);
  const HostScope scope;
  return ReadRows(Tensor::FromVector(rows));
}

std::vector<Change> RemoteVariable::Changes(Change::Kind kind,
                                            const Tensor& value,
                                            bool wants_value) const {
  const Tensor on_host = value.ToHost();
  std::vector<Change> changes;
  for (const VariableShard& shard : shards_) {
    changes.push_back(
        {.place = shard.place,
         .kind = kind,
         .value = is_sharded()
                      ? on_host.Slice(shard.begin, shard.begin + shard.shape[0])
                      : on_host,
         .wants_value = wants_value});
  }
  return changes;
}

void RemoteVariable::Assign(const Tensor& value) {
  CheckFits("Assign", value);
  home_->client().Apply(Changes(Change::Kind::kAssign, value, false));
}

void RemoteVariable::AssignAdd(const Tensor& delta) {
  CheckFits("AssignAdd", delta);
  home_->client().Apply(Changes(Change::Kind::kAdd, delta, false));
}

void RemoteVariable::AssignSub(const Tensor& delta) {
  CheckFits("AssignSub", delta);
  home_->client().Apply(Changes(Change::Kind::kSubtract, delta, false));
}

Tensor RemoteVariable::ChangeAndRead(Change::Kind kind, const Tensor& value) {
  CheckFits("AssignAdd", value);
  const HostScope scope;
  Tensor after = Join(home_->client().Apply(Changes(kind, value, true)));
  RecordVariableRead(*this, after);
  return after;
}

void RemoteVariable::ChangeRows(Change::Kind kind, const IndexedSlices& rows) {
  if (rows.dense_shape() != shape() || rows.values().dtype() != dtype()) {
    throw InvalidArgument("[Scatter] variable '{}' is {}, got rows {} of {}",
                          name_, ToString(spec_), Describe(rows.values()),
                          ToString(rows.dense_shape()));
  }
  const HostScope scope;
  std::vector<Change> changes;
  for (const RowsOfShard& part : Divide("Scatter", rows.indices())) {
    changes.push_back({.place = shards_[part.shard].place,
                       .kind = kind,
                       .value = kernels::Gather(rows.values(), part.positions),
                       .rows = part.rows});
  }
  if (!changes.empty()) home_->client().Apply(changes);
}

namespace {

RemoteVariable& AsRemote(const char* operation, Variable& variable) {
  if (auto* remote = dynamic_cast<RemoteVariable*>(&variable)) return *remote;
  throw Unimplemented("[{}] '{}' is not kept by parameter servers", operation,
                      variable.name());
}

}  // namespace

std::vector<VariableShard> ShardsOf(const Variable& variable) {
  const auto* remote = dynamic_cast<const RemoteVariable*>(&variable);
  return remote ? remote->shards() : std::vector<VariableShard>();
}

Tensor AssignAddAndRead(Variable& variable, const Tensor& delta) {
  if (auto* remote = dynamic_cast<RemoteVariable*>(&variable)) {
    return remote->ChangeAndRead(Change::Kind::kAdd, delta);
  }
  variable.AssignAdd(delta);
  return variable.Read();
}

Tensor AssignSubAndRead(Variable& variable, const Tensor& delta) {
  if (auto* remote = dynamic_cast<RemoteVariable*>(&variable)) {
    return remote->ChangeAndRead(Change::Kind::kSubtract, delta);
  }
  variable.AssignSub(delta);
  return variable.Read();
}

void ScatterUpdate(Variable& variable, const IndexedSlices& rows) {
  AsRemote("ScatterUpdate", variable).ChangeRows(Change::Kind::kAssign, rows);
}

void ScatterAdd(Variable& variable, const IndexedSlices& rows) {
  AsRemote("ScatterAdd", variable).ChangeRows(Change::Kind::kAdd, rows);
}

void ScatterSub(Variable& variable, const IndexedSlices& rows) {
  AsRemote("ScatterSub", variable).ChangeRows(Change::Kind::kSubtract, rows);
}

}  // namespace lockstep
