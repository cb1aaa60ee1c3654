// The testees that go by a name: conformance/testees.json.
//
//   const TesteeTable table = TesteeTable::Load("conformance/testees.json");
//   table.Find("tensorflow")->command;   // {"{python}", "conformance/..."}
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_TESTEE_TABLE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_TESTEE_TABLE_H_

#include <string>
#include <vector>

namespace lockstep {

struct NamedTestee {
  std::string name;
  std::string means;
  std::vector<std::string> command;  // may hold {python}
  std::string deviations;            // whose list holds for it
};

class TesteeTable {
 public:
  // Errors: NotFound; InvalidArgument with file and JSON path for a missing or
  // unknown field, an empty command, a name that stands there twice.
  static TesteeTable Load(const std::string& path);

  // nullptr when there is none.
  const NamedTestee* Find(const std::string& name) const;

  const std::vector<NamedTestee>& testees() const { return testees_; }

 private:
  std::vector<NamedTestee> testees_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_TESTEE_TABLE_H_
