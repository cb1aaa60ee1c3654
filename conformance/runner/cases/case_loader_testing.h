// A folder with one valid case, for tests that make it invalid.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_LOADER_TESTING_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_LOADER_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/runner/cases/case_loader.h"
#include "reference/base/error.h"

namespace lockstep {

inline constexpr const char* kOneSource =
    R"({"sources": [{"id": "guide", "url": "https://example.org/"}]})";
inline constexpr const char* kOperations = R"(# Operations
## Numbers
### `data.range`
| argument | type | meaning |
|---|---|---|
| stop | integer | the end |
| kind | choice: up, down; optional | which way |

Gives: numbers.
### `data.each`
| of | name | numbers |
| as | binding | one of them |
| program | program | the block |

Gives: nothing.
### `data.show`
| of | value | anything |

Gives: it.
### `data.load`
Gives: a dataset. Errors: NotFound.
### `program.repeat`
| times | integer | how often |
| program | program | the block |

Gives: nothing.
### `dataset.map`
| of | name | numbers |
| as | binding | one of them |
| program | unseen program | the block |
| return | result | what becomes of it |

Gives: numbers.
### `gradient.tape`
| with | bindings, optional | values |
| target | name | of the block |
| program | open program | the block |

Gives: a number.
)";

inline constexpr const char* kConventions = R"({"conventions": [
  {"id": "remainder", "question": "What?", "values": [
    {"id": "split", "means": "It is split."},
    {"id": "pad", "means": "It is filled up."}],
   "porting": [{"from": "split", "to": "pad", "note": "Count."}]}]})";

// A valid case.
inline Json RightCase() {
  return Json::parse(R"({
    "id": "input/numbers/range_counts",
    "level": "required",
    "states": "A range counts.",
    "cites": [{"source": "guide", "anchor": "split"}],
    "given": {"strategy": "mirrored", "replicas": 2},
    "program": [
      {"let": "numbers", "step": "data.range", "stop": 2},
      {"step": "data.each", "of": "numbers", "as": "x", "program": [
        {"observe": "seen", "step": "data.show", "of": "x"}]}],
    "expect": [{"observation": "seen", "equals": [0, 1]}]})");
}

class CaseLoaderTest : public testing::Test {
 protected:
  CaseLoaderTest() {
    const std::string test_name =
        testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(std::getenv("TEST_TMPDIR")) / test_name;
    std::filesystem::create_directories(folder_ / "input");
    Write("sources.json", kOneSource);
    Write("operations.md", kOperations);
    Write("conventions.json", kConventions);
  }

  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  CaseLoader MakeLoader() const {
    return CaseLoader(Sources::Load((folder_ / "sources.json").string()),
                      Operations::Load({(folder_ / "operations.md").string()}),
                      Conventions::Load(folder_ / "conventions.json"));
  }

  std::vector<Case> Load(const Json& file) const {
    CaseLoader loader = MakeLoader();
    loader.Load(Write("input/numbers.json", file.dump()));
    return loader.cases();
  }

  std::vector<Case> LoadCase(const Json& conformance_case) const {
    return Load({{"topic", "Numbers"}, {"cases", {conformance_case}}});
  }

  // The error of `action`, without operation and path of the file.
  template <typename Action>
  std::string Refusal(const Action& action) const {
    try {
      action();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Code::kInvalidArgument);
      const std::string lead =
          "[LoadCases] " + (folder_ / "input/numbers.json").string() + " at ";
      const std::string message = e.what();
      EXPECT_TRUE(message.starts_with(lead)) << message;
      return message.substr(std::min(lead.size(), message.size()));
    }
    return "nothing refused";
  }
  // The error of a valid case with the value at `path`, as "cites/0", replaced.
  std::string RefusalWith(const std::string& path, const char* value) const {
    Json corrupted = RightCase();
    corrupted[Json::json_pointer("/" + path)] = Json::parse(value);
    return Refusal([&] { LoadCase(corrupted); });
  }
  std::string RefusalWithout(const char* field) const {
    Json corrupted = RightCase();
    corrupted.erase(field);
    return Refusal([&] { LoadCase(corrupted); });
  }

  std::filesystem::path folder_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_LOADER_TESTING_H_
