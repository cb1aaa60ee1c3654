// The vocabulary of programs: the steps, with their arguments and results.
//
//   const Operations operations = Operations::Load(DocumentsIn("conformance"));
//   operations.Find("dataset.batch")->arguments.at("size").type;  // kInteger
//
// It is read from the documents for people: a step is a heading of level 3, its
// arguments are the rows of the table below it, and one line after that begins
// with "Gives: ".
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_OPERATIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_OPERATIONS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json.h"

namespace lockstep {

// As "Types of arguments" in operations.md explains them.
enum class ArgumentType {
  kName,
  kValue,
  kLiteral,
  kData,
  kStructure,
  kNames,
  kValues,
  kBindings,
  kInteger,
  kNumber,
  kBoolean,
  kText,
  kChoice,
  kProgram,
  kOpenProgram,
  kUnseenProgram,
  kBinding,
  kResult,
};

struct Argument {
  ArgumentType type = ArgumentType::kName;
  std::vector<std::string> choices = {};  // of a kChoice
  bool optional = false;

  // Whether `value` is of this type. Does not check names.
  bool Accepts(const Json& value) const;
  // "integer", "choice of up, down".
  std::string Describe() const;
};

// The names that a value of this type uses: "batch.x" of {"x": "batch.x"}.
std::vector<std::string> NamesIn(const Json& value, ArgumentType type);

struct Operation {
  std::map<std::string, Argument, std::less<>> arguments = {};
  bool gives_something = true;
  // Its result can be observed: it is not an object such as a dataset.
  bool gives_a_value = true;
  // It describes a training, not a call of an API: true for every step of the
  // document with the heading "# Intents".
  bool is_intent = false;

  // The type of its argument "program", a block; kProgram if it has none.
  ArgumentType BlockType() const;
};

// The documents of calls and of intents in a folder.
std::vector<std::string> DocumentsIn(const std::string& folder);

class Operations {
 public:
  // The steps of several documents. Errors: NotFound; those of Parse;
  // InvalidArgument for a step that two of them describe.
  static Operations Load(const std::vector<std::string>& paths);
  // Errors: InvalidArgument with `path` for a document that does not follow the
  // form, describes a step twice, or describes no step.
  static Operations Parse(std::string_view text, const std::string& path);

  // nullptr when there is none.
  const Operation* Find(std::string_view step) const;

  using ByName = std::map<std::string, Operation, std::less<>>;
  const ByName& by_name() const { return by_name_; }

 private:
  ByName by_name_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_OPERATIONS_H_
