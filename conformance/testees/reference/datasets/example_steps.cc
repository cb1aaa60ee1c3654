// Files of tf.train.Example messages, and their features.
#include <string>
#include <utility>
#include <vector>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/data/dataset.h"
#include "reference/data/examples/parse_example.h"
#include "reference/data/tf_record_writer.h"

namespace lockstep::conformance {
namespace {

DType TypeIn(const Json& object, const std::string& key) {
  if (!object.is_object() || !object.contains(key)) {
    throw ProgramError("there is no '" + key + "'");
  }
  return ParseDType(object[key].get<std::string>());
}

Value WriteExamples(const StepCall& call) {
  TFRecordWriter writer(call.Path("file"));
  for (const Json& example : call.Argument("examples")) {
    std::vector<std::pair<std::string, Structure>> features;
    for (const auto& [name, values] : example.items()) {
      features.emplace_back(
          name, ToTensor(values, TypeIn(call.Object("types"), name)));
    }
    writer.Write(SerializeExample(Structure::Dict(std::move(features))));
  }
  writer.Close();
  return Nothing();
}

ExampleFeature FeatureOf(const Json& wanted) {
  const DType dtype = TypeIn(wanted, "type");
  if (!wanted.contains("shape")) return VarLenFeature{dtype};
  FixedLenFeature feature = {
      .shape = Shape(wanted["shape"].get<std::vector<int64_t>>()),
      .dtype = dtype};
  if (wanted.contains("default")) {
    feature.default_value = ToTensor(wanted["default"], dtype);
  }
  return feature;
}

Value ParseExamples(const StepCall& call) {
  ExampleFeatures features;
  for (const auto& [name, wanted] : call.Object("features").items()) {
    features[name] = FeatureOf(wanted);
  }
  const auto messages = call.Get<Dataset>("of");
  if (messages.element_spec().leaf().shape.rank() == 0) {
    return messages.Map(
        [features](const Structure& message) {
          return ParseSingleExample(message, features);
        },
        ParseSingleExampleSpec(features));
  }
  return messages.Map(
      [features](const Structure& batch) {
        return ParseExample(batch, features);
      },
      ParseExampleSpec(features));
}

}  // namespace

void AddExampleSteps(StepTable& table) {
  table.Add("file.write_examples", WriteExamples);
  table.Add("dataset.parse_examples", ParseExamples);
}

}  // namespace lockstep::conformance
