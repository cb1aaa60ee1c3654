// The environment variables that a launcher sets for the processes it starts.
//
//   const Environment environment({{"RANK", "1"}, {"WORLD_SIZE", "2x"}});
//   const VariableReader read("TorchrunClusterResolver", environment);
//   read.Number("RANK", 0, 100);         // 1
//   read.Number("WORLD_SIZE", 1, 100);   // InvalidArgument
//   // "[TorchrunClusterResolver] WORLD_SIZE must be an integer from 1 to 100,
//   // got '2x'"
#ifndef LOCKSTEP_REFERENCE_CLUSTER_ENVIRONMENT_H_
#define LOCKSTEP_REFERENCE_CLUSTER_ENVIRONMENT_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

// A source of variables: this process, or a map from a test or a program.
class Environment {
 public:
  using Lookup = std::function<std::optional<std::string>(const std::string&)>;

  explicit Environment(Lookup lookup) : lookup_(std::move(lookup)) {}
  explicit Environment(std::map<std::string, std::string> variables);
  // Reads the process's environment on every Find. REQUIRES: no other thread
  // changes it meanwhile.
  static Environment OfProcess();

  // nullopt if the variable is not set, "" if it is empty.
  std::optional<std::string> Find(const std::string& name) const {
    return lookup_(name);
  }
  bool Has(const std::string& name) const { return Find(name).has_value(); }

 private:
  Lookup lookup_;
};

// Reads variables for one operation. All errors are InvalidArgument and start
// with the operation's name.
class VariableReader {
 public:
  VariableReader(std::string operation, Environment environment)
      : operation_(std::move(operation)),
        environment_(std::move(environment)) {}

  // Also an error: the variable is not set.
  std::string Text(const std::string& name) const;
  int Number(const std::string& name, int least, int most) const;
  // A number from 0. Also an error: it is not below `all`.
  int Index(const std::string& name, const std::string& name_of_all,
            int all) const;

  // nullopt if the variable is not set.
  std::optional<std::string> Find(const std::string& name) const {
    return environment_.Find(name);
  }
  std::optional<int> FindNumber(const std::string& name, int least,
                                int most) const;
  bool Has(const std::string& name) const { return environment_.Has(name); }

  const std::string& operation() const { return operation_; }

 private:
  std::string operation_;
  Environment environment_;
};

// Parses decimal digits; nullopt for any other text and for a number that does
// not fit an int.
std::optional<int> NumberIn(std::string_view text);

// Formats text for messages: quoted, cut to a line, without control characters.
std::string Quote(std::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_ENVIRONMENT_H_
