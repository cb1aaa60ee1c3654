#include "conformance/runner/commands/testee_table.h"

#include <algorithm>

#include "conformance/runner/json_cursor.h"

namespace lockstep {
namespace {

NamedTestee ReadTestee(const JsonCursor& cursor) {
  cursor.AllowOnly({"name", "means", "command", "deviations"});
  NamedTestee testee{.name = cursor["name"].Text(),
                     .means = cursor["means"].Text(),
                     .command = {},
                     .deviations = cursor["name"].String()};
  for (const JsonCursor& word : cursor["command"].SomeItems()) {
    testee.command.push_back(word.Text());
  }
  const auto deviations = cursor.Find("deviations");
  if (deviations) testee.deviations = deviations->Text();
  return testee;
}

}  // namespace

TesteeTable TesteeTable::Load(const std::string& path) {
  const Json json = ReadJsonFile(path);
  const JsonCursor root(json, path, "LoadTestees");
  root.AllowOnly({"testees"});
  TesteeTable table;
  for (const JsonCursor& cursor : root["testees"].SomeItems()) {
    NamedTestee testee = ReadTestee(cursor);
    if (table.Find(testee.name)) {
      cursor["name"].Fail(
          fmt::format("testee '{}' stands here twice", testee.name));
    }
    table.testees_.push_back(std::move(testee));
  }
  return table;
}

const NamedTestee* TesteeTable::Find(const std::string& name) const {
  const auto found = std::ranges::find(testees_, name, &NamedTestee::name);
  return found == testees_.end() ? nullptr : &*found;
}

}  // namespace lockstep
