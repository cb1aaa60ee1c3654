#include "conformance/runner/cases/conventions.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/runner/text/readable_text.h"

namespace lockstep {

namespace {

bool Contains(const std::vector<std::string>& values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

}  // namespace

bool Applies(const When& when, const Dialect& dialect) {
  return std::ranges::all_of(when, [&](const auto& wanted) {
    const auto found = dialect.find(wanted.first);
    return found != dialect.end() && Contains(wanted.second, found->second);
  });
}

bool ExcludeEachOther(const When& when, const When& other) {
  return std::ranges::any_of(when, [&](const auto& wanted) {
    const auto found = other.find(wanted.first);
    return found != other.end() &&
           std::ranges::none_of(wanted.second, [&](const auto& value) {
             return Contains(found->second, value);
           });
  });
}

std::string DescribeWhen(const When& when) {
  std::string text;
  for (const auto& [convention, values] : when) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", convention,
                        fmt::join(values, " or "));
  }
  return text;
}

namespace {

void CheckPorting(const JsonCursor& notes,
                  const std::vector<std::string>& values) {
  for (const JsonCursor& note : notes.NonEmptyItems()) {
    note.AllowOnly({"from", "to", "note"});
    note["note"].Text();
    for (const char* end : {"from", "to"}) {
      if (!Contains(values, note[end].String())) {
        note[end].Fail(fmt::format("the convention has no value '{}'",
                                   note[end].String()));
      }
    }
  }
}

}  // namespace

Conventions Conventions::Load(const std::string& path) {
  const Json json = ReadJsonFile(path);
  const JsonCursor root(json, path, "LoadConventions");
  root.AllowOnly({"conventions"});
  Conventions conventions;
  for (const JsonCursor& cursor : root["conventions"].NonEmptyItems()) {
    Convention convention = ReadConvention(cursor);
    if (std::ranges::find(conventions.conventions_, convention.id,
                          &Convention::id) != conventions.conventions_.end()) {
      cursor["id"].Fail(
          fmt::format("duplicate convention '{}'", convention.id));
    }
    conventions.conventions_.push_back(std::move(convention));
  }
  return conventions;
}

Conventions::Convention Conventions::ReadConvention(const JsonCursor& cursor) {
  cursor.AllowOnly({"id", "question", "values", "porting"});
  cursor["question"].Text();
  Convention convention{.id = cursor["id"].Text(), .values = {}};
  for (const JsonCursor& value : cursor["values"].NonEmptyItems()) {
    value.AllowOnly({"id", "means"});
    value["means"].Text();
    if (Contains(convention.values, value["id"].Text())) {
      value["id"].Fail(
          fmt::format("duplicate value '{}'", value["id"].String()));
    }
    convention.values.push_back(value["id"].String());
  }
  if (convention.values.size() < 2) {
    cursor["values"].Fail("wanted at least two values, got one");
  }
  CheckPorting(cursor["porting"], convention.values);
  return convention;
}

std::string Conventions::Problem(std::string_view id,
                                 std::string_view value) const {
  const auto found = std::ranges::find(conventions_, id, &Convention::id);
  if (found == conventions_.end()) {
    return fmt::format("unknown convention '{}', not in conventions.json", id);
  }
  if (Contains(found->values, value)) return "";
  return fmt::format("the convention '{}' has no value '{}', wanted one of: {}",
                     id, value, fmt::join(found->values, ", "));
}

Dialect Conventions::Complete(const Dialect& declared) const {
  Dialect dialect;
  for (const Convention& convention : conventions_) {
    dialect[convention.id] = convention.values.front();
  }
  for (const auto& [id, value] : declared) {
    const std::string problem = Problem(id, value);
    if (!problem.empty()) {
      throw InvalidArgument("[Conventions] a testee declared {}: {}: {}",
                            ReadableExcerpt(id), ReadableExcerpt(value),
                            ReadableLine(problem));
    }
    dialect[id] = value;
  }
  return dialect;
}

When Conventions::ReadWhen(const JsonCursor& cursor) const {
  When when;
  for (const auto& [id, choice] : cursor.Fields()) {
    when[id] = ReadChoice(id, choice);
  }
  if (when.empty()) cursor.Fail("wanted at least one convention, got none");
  return when;
}

std::vector<std::string> Conventions::ReadChoice(
    std::string_view id, const JsonCursor& cursor) const {
  const bool excluding = cursor.json().is_object();
  if (excluding) cursor.AllowOnly({"not"});
  const JsonCursor choice = excluding ? cursor["not"] : cursor;
  std::vector<std::string> named;
  for (const JsonCursor& value : choice.json().is_array()
                                     ? choice.NonEmptyItems()
                                     : std::vector{choice}) {
    const std::string problem = Problem(id, value.String());
    if (!problem.empty()) value.Fail(problem);
    if (Contains(named, value.String())) {
      value.Fail(fmt::format("duplicate value '{}'", value.String()));
    }
    named.push_back(value.String());
  }
  std::vector<std::string> chosen;
  std::ranges::copy_if(
      std::ranges::find(conventions_, id, &Convention::id)->values,
      std::back_inserter(chosen), [&](const std::string& value) {
        return Contains(named, value) != excluding;
      });
  if (chosen.empty()) {
    choice.Fail(
        fmt::format("this excludes every value of '{}': exclude fewer", id));
  }
  return chosen;
}

}  // namespace lockstep
