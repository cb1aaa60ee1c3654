// The language of programs: which steps there are, what each wants and gives.
//
//   const Operations operations = Operations::Load(DocumentsIn("conformance"));
//   operations.Find("dataset.batch")->arguments.at("size").type;  // kInteger
//
// The documents are for people first: a step is a heading of level 3, its
// arguments are the rows of the table below it, and one line behind that begins
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

  // Whether `value` can stand there, names aside.
  bool Accepts(const Json& value) const;
  // "integer", "choice of up, down".
  std::string Describe() const;
};

// The names that a value of this type uses: "batch.x" of {"x": "batch.x"}.
std::vector<std::string> NamesIn(const Json& value, ArgumentType type);

struct Operation {
  std::map<std::string, Argument, std::less<>> arguments = {};
  bool gives_something = true;
  // And not a thing that has a name and no look, such as a dataset.
  bool gives_a_value = true;
  // It says what is to be trained, not by which call: so does every step of a
  // document that is headed "# Intents".
  bool is_intent = false;

  // The kind of its argument "program", a block; kProgram without one.
  ArgumentType BlockType() const;
};

// The documents of calls and of intents, of a folder.
std::vector<std::string> DocumentsIn(const std::string& folder);

class Operations {
 public:
  // The steps of several documents. Errors: NotFound; those of Parse;
  // InvalidArgument for a step that two of them describe.
  static Operations Load(const std::vector<std::string>& paths);
  // Errors: InvalidArgument, led by `path`, for a document that does not follow
  // its own form, describes a step twice or none at all.
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
