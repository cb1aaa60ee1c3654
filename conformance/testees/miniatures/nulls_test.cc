// Nobody gets points for nothing: no case is passed by a testee that does
// nothing, and none that needs several replicas on a single one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "conformance/runner/cases/case_loader.h"
#include "conformance/runner/pipe/pipe_testee.h"
#include "conformance/runner/verdicts/run_case.h"
#include "conformance/testees/miniatures/one_replica.h"
#include "conformance/testees/reference/reference_testee.h"

namespace lockstep {
namespace {

using testing::IsEmpty;

constexpr const char* kNulls = "conformance/testees/miniatures/nulls.py";

const CaseLoader& Catalogue() {
  static const CaseLoader loader = CaseLoader::OfFolder("conformance");
  return loader;
}

// Puts each program to the other testee once, however often it is judged.
class RememberingTestee : public Testee {
 public:
  explicit RememberingTestee(Testee& testee) : testee_(testee) {}

  const TesteeDeclaration& Start() override { return testee_.Start(); }
  Answer Run(const Request& request) override {
    const auto key = std::pair(request.given.dump(), request.program.dump());
    const auto found = answers_.find(key);
    if (found != answers_.end()) return found->second;
    return answers_[key] = testee_.Run(request);
  }

 private:
  Testee& testee_;
  std::map<std::pair<std::string, std::string>, Answer> answers_;
};

// Convention -> all its values.
std::map<std::string, std::vector<std::string>> ValuesOfConventions() {
  std::map<std::string, std::vector<std::string>> values;
  const Json file = ReadJsonFile("conformance/conventions.json");
  for (const Json& convention : file["conventions"]) {
    for (const Json& value : convention["values"]) {
      values[convention["id"]].push_back(value["id"]);
    }
  }
  return values;
}

// One for each way to declare the conventions that the case asks for.
std::vector<Dialect> DialectsOf(const Case& conformance_case) {
  static const auto values = ValuesOfConventions();
  std::set<std::string> asked;
  for (const Expectation& expectation : conformance_case.expect) {
    for (const auto& [id, value] : expectation.when) asked.insert(id);
  }
  std::vector<Dialect> dialects{{}};
  for (const std::string& id : asked) {
    std::vector<Dialect> wider;
    for (const Dialect& dialect : dialects) {
      for (const std::string& value : values.at(id)) {
        wider.push_back(dialect);
        wider.back()[id] = value;
      }
    }
    dialects = std::move(wider);
  }
  return dialects;
}

// As the headline figures count: advice that is not taken costs no point.
bool GetsAPoint(const CaseResult& result) {
  return result.verdict == Verdict::kPassed ||
         (result.verdict == Verdict::kWarned &&
          result.conformance_case->level == Level::kRequired);
}

bool Passes(const Case& conformance_case, Testee& testee) {
  return std::ranges::any_of(
      DialectsOf(conformance_case), [&](const Dialect& declared) {
        return GetsAPoint(
            RunCase(conformance_case, testee,
                    Catalogue().conventions().Complete(declared)));
      });
}

std::vector<std::string> NamesOfNulls() {
  const std::string command = std::string("/usr/bin/python3 -S ") + kNulls;
  FILE* const pipe = popen((command + " --list").c_str(), "r");
  std::ostringstream text;
  std::array<char, 4096> buffer;
  while (const size_t size = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.write(buffer.data(), static_cast<std::streamsize>(size));
  }
  EXPECT_EQ(pclose(pipe), 0);
  std::istringstream words(text.str());
  return {std::istream_iterator<std::string>(words), {}};
}

using Ids = std::set<std::string>;

TEST(NullsTest, NoCaseIsPassedForNothing) {
  Ids passed;
  for (const std::string& name : NamesOfNulls()) {
    PipeTestee null({"/usr/bin/python3", "-S", kNulls, name});
    RememberingTestee testee(null);
    for (const Case& conformance_case : Catalogue().cases()) {
      if (!Passes(conformance_case, testee)) continue;
      if (passed.insert(conformance_case.id).second) {
        std::cout << name << " passes " << conformance_case.id << "\n";
      }
    }
  }
  EXPECT_THAT(passed, IsEmpty())
      << "give these an absolute value, or a control that is not refused";
}

bool WantsSeveral(const Json& given) {
  if (!given.contains("replicas")) return false;
  const Json& replicas = given["replicas"];
  return replicas.is_array() || replicas != 1;
}

TEST(NullsTest, WhatNeedsSeveralReplicasIsNotPassedByOne) {
  conformance::ReferenceTestee reference;
  OneReplicaTestee alone(reference);
  RememberingTestee testee(alone);
  Ids passed;
  for (const Case& conformance_case : Catalogue().cases()) {
    if (WantsSeveral(conformance_case.given) &&
        Passes(conformance_case, testee)) {
      passed.insert(conformance_case.id);
    }
  }
  EXPECT_THAT(passed, IsEmpty())
      << "let these see something that needs all replicas";
}

}  // namespace
}  // namespace lockstep
