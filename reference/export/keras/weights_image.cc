#include "reference/export/keras/weights_image.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/assignments.h"
#include "reference/export/keras/variable_groups.h"
#include "reference/file_formats/hdf5_reader.h"
#include "reference/file_formats/hdf5_writer.h"
#include "reference/layers/layer.h"

namespace lockstep::export_internal {
namespace {

void CheckBuilt(const LayerImpl& model) {
  if (model.built()) return;
  throw FailedPrecondition(
      "[Save] '{}' has no weights yet: call Build, or add an Input",
      model.name());
}

void AddGroups(Hdf5Writer& writer, const std::vector<VariableGroup>& groups) {
  for (const VariableGroup& group : groups) {
    writer.AddGroup(group.path, group.name);
    for (size_t i = 0; i < group.variables.size(); ++i) {
      const Trackable::Value value = group.variables[i]->values().at(0);
      writer.Add(group.path + "/" + std::to_string(i), value.save());
    }
  }
}

bool IsOfOptimizer(const std::string& path) {
  return path.starts_with("optimizer/");
}

// Assigns the file's datasets to variables.
class WeightsReader {
 public:
  WeightsReader(const Hdf5Reader& file, const std::string& origin)
      : file_(file),
        origin_("[KerasWeights] " + origin),
        assignments_(origin_) {}

  // Errors: NotFound, InvalidArgument.
  void Take(const VariableGroup& group) {
    for (size_t i = 0; i < group.variables.size(); ++i) {
      const std::string path = group.path + "/" + std::to_string(i);
      Trackable::Value value = group.variables[i]->values().at(0);
      if (!file_.Contains(path)) {
        throw NotFound("{} has no '{}' ({})", origin_, path, value.full_name);
      }
      taken_.insert(path);
      assignments_.Add(std::move(value), path, file_.Read(path));
    }
  }

  // Errors: InvalidArgument if there is a dataset that no variable took.
  void CheckAllTaken(bool of_optimizer) const {
    for (const std::string& path : file_.paths()) {
      if (taken_.contains(path)) continue;
      if (IsOfOptimizer(path) != of_optimizer) continue;
      throw InvalidArgument("{} has '{}', the {} does not", origin_, path,
                            of_optimizer ? "optimizer" : "model");
    }
  }

  void Apply() const { assignments_.Apply(); }

 private:
  const Hdf5Reader& file_;
  const std::string origin_;
  std::set<std::string> taken_;
  Assignments assignments_;
};

// An optimizer that was saved before its first step has only its counter and
// learning rate.
bool HasOptimizerState(const Hdf5Reader& file, const Optimizer& optimizer) {
  const auto of_optimizer = std::ranges::count_if(file.paths(), IsOfOptimizer);
  return of_optimizer > std::ssize(optimizer.variables());
}

}  // namespace

std::string EncodeWeights(const LayerImpl& model, const Optimizer* optimizer) {
  CheckBuilt(model);
  Hdf5Writer writer;
  AddGroups(writer, VariableGroups(model));
  if (optimizer != nullptr) AddGroups(writer, VariableGroups(*optimizer));
  return writer.Finish();
}

int64_t CountElements(std::string_view image, const std::string& origin) {
  const Hdf5Reader file(image, origin);
  int64_t elements = 0;
  for (const std::string& path : file.paths()) {
    if (!IsOfOptimizer(path)) elements += file.Spec(path).shape.num_elements();
  }
  return elements;
}

void DecodeWeights(std::string_view image, const std::string& origin,
                   const LayerImpl& model, Optimizer* optimizer) {
  CheckBuilt(model);
  const Hdf5Reader file(image, origin);
  WeightsReader reader(file, origin);
  for (const VariableGroup& group : VariableGroups(model)) reader.Take(group);
  reader.CheckAllTaken(/*of_optimizer=*/false);
  if (optimizer != nullptr) {
    if (HasOptimizerState(file, *optimizer)) {
      optimizer->Build(model.trainable_variables());
    }
    // The first group also has an inner optimizer's state.
    const auto groups = VariableGroups(*optimizer);
    reader.Take(groups.front());
    if (groups.size() == 1) reader.CheckAllTaken(/*of_optimizer=*/true);
  }
  reader.Apply();
}

}  // namespace lockstep::export_internal
