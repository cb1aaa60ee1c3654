#include "reference/export/keras/weights_image.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/export/assignments.h"
#include "reference/export/keras/variable_groups.h"
#include "reference/export/keras/vocabulary_file.h"
#include "reference/file_formats/hdf5_reader.h"
#include "reference/file_formats/hdf5_writer.h"
#include "reference/layers/layer.h"

namespace lockstep::export_internal {
namespace {

constexpr char kIdfWeights[] = "/idf_weights";

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
    if (group.vocabulary != nullptr && group.vocabulary->has_weights()) {
      const std::vector<float> weights = group.vocabulary->Content().weights;
      writer.Add(group.path + kIdfWeights, Tensor::FromVector(weights));
    }
  }
}

bool IsOfOptimizer(const std::string& path) {
  return path.starts_with("optimizer/");
}

// Assigns the file's datasets to variables, and the vocabularies to their
// layers.
class WeightsReader {
 public:
  WeightsReader(const Hdf5Reader& file, const std::string& origin,
                const Assets* assets)
      : file_(file),
        origin_("[KerasWeights] " + origin),
        assets_(assets),
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
    if (group.vocabulary != nullptr) TakeVocabulary(group);
  }

  // Errors: InvalidArgument if there is a dataset that no variable took.
  void CheckAllTaken(bool of_optimizer) const {
    for (const std::string& path : file_.paths()) {
      if (taken_.contains(path)) continue;
      if (IsOfOptimizer(path) != of_optimizer) continue;
      throw InvalidArgument("{} has '{}', the {} does not", origin_, path,
                            of_optimizer ? "optimizer" : "model");
    }
    if (of_optimizer || assets_ == nullptr) return;
    for (const auto& [member, bytes] : *assets_) {
      if (taken_.contains(member)) continue;
      throw InvalidArgument("{} has '{}', the model does not", origin_, member);
    }
  }

  void Apply() const {
    assignments_.Apply();
    for (const std::function<void()>& set : vocabularies_) set();
  }

 private:
  // Errors, with the member: NotFound, and those of DecodeVocabulary and
  // StoredVocabulary.
  void TakeVocabulary(const VariableGroup& group) {
    const StoredVocabulary& vocabulary = *group.vocabulary;
    const bool has_words = assets_ != nullptr && !vocabulary.in_config();
    if (!has_words && !vocabulary.has_weights()) return;
    const std::string member =
        has_words ? VocabularyMember(group) : group.path + kIdfWeights;
    VocabularyContent content;
    if (has_words) {
      content.words = ReadWords(member, group.name);
    } else {
      content.words = vocabulary.Content().words;
    }
    if (vocabulary.has_weights()) content.weights = ReadWeights(group);
    try {
      vocabularies_.push_back(vocabulary.Prepare(content));
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("{}: '{}': {}", origin_, member, error.what()));
    }
  }

  std::vector<std::string> ReadWords(const std::string& member,
                                     const std::string& layer) {
    const auto found = assets_->find(member);
    if (found == assets_->end()) {
      throw NotFound("{} has no '{}', the vocabulary of '{}'", origin_, member,
                     layer);
    }
    taken_.insert(member);
    return DecodeVocabulary(found->second,
                            fmt::format("{}: '{}'", origin_, member));
  }

  std::vector<float> ReadWeights(const VariableGroup& group) {
    const std::string path = group.path + kIdfWeights;
    if (!file_.Contains(path)) {
      throw NotFound("{} has no '{}' ('{}')", origin_, path, group.name);
    }
    taken_.insert(path);
    const Tensor weights = file_.Read(path);
    if (weights.rank() != 1 || !IsFloating(weights.dtype())) {
      throw InvalidArgument("{}: '{}' is {}, not a list of floating numbers",
                            origin_, path, Describe(weights));
    }
    return weights.Cast(DType::kFloat32).ToVector<float>();
  }

  const Hdf5Reader& file_;
  const std::string origin_;
  const Assets* const assets_;
  std::set<std::string> taken_;
  Assignments assignments_;
  std::vector<std::function<void()>> vocabularies_;
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

Assets EncodeAssets(const LayerImpl& model) {
  Assets assets;
  for (const VariableGroup& group : VariableGroups(model)) {
    if (group.vocabulary == nullptr || group.vocabulary->in_config()) continue;
    assets[VocabularyMember(group)] =
        EncodeVocabulary(group.vocabulary->Content().words, group.name);
  }
  return assets;
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
                   const LayerImpl& model, Optimizer* optimizer,
                   const Assets* assets) {
  CheckBuilt(model);
  const Hdf5Reader file(image, origin);
  WeightsReader reader(file, origin, assets);
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
