#include "conformance/runner/answers/answer_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/runner/pipe/protocol.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr const char* kOperation = "LoadAnswers";
constexpr int kFormat = 1;
constexpr size_t kMaxStoredMessageBytes = 300;

std::map<std::string, std::string> ReadTexts(const JsonCursor& cursor) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : cursor.Fields()) {
    texts.emplace(name, value.Text());
  }
  return texts;
}

Json ToJson(const Provenance& provenance) {
  return {{"date", provenance.date},
          {"machine", provenance.machine},
          {"packages", provenance.packages},
          {"program", provenance.program},
          {"steps", provenance.steps}};
}

// Reads the answers of one case. A number is the index of an unsupported step
// in the list of the file; a text is the key of an equal answer of the same
// case.
class AnswersReader {
 public:
  // REQUIRES: `unsupported` outlives the reader.
  explicit AnswersReader(const std::vector<Unsupported>& unsupported)
      : unsupported_(unsupported) {}

  AnswersByKey Read(const JsonCursor& cursor) const {
    AnswersByKey answers;
    for (const auto& [key, value] : cursor.Fields()) {
      if (!value.json().is_string()) answers.emplace(key, ReadOne(value));
    }
    for (const auto& [key, value] : cursor.Fields()) {
      if (!value.json().is_string()) continue;
      const auto same = answers.find(value.String());
      if (same == answers.end()) {
        value.Fail(fmt::format("this case has no answer '{}'", value.String()));
      }
      const Answer answer = same->second;
      answers.emplace(key, answer);
    }
    return answers;
  }

 private:
  Answer ReadOne(const JsonCursor& cursor) const {
    if (cursor.json().is_number()) {
      const auto last = static_cast<int64_t>(unsupported_.size()) - 1;
      return unsupported_[cursor.IntegerBetween(0, last)];
    }
    cursor.AllowOnly({"observations", "error", "crashed", "protocol_error"});
    if (const auto crashed = cursor.Find("crashed")) {
      return Crashed{.by = crashed->Text(), .stderr_tail = ""};
    }
    if (const auto problem = cursor.Find("protocol_error")) {
      return ProtocolError{.what = problem->String(), .stderr_tail = ""};
    }
    return ReadReplied(cursor);
  }

  const std::vector<Unsupported>& unsupported_;
};

std::vector<Unsupported> ReadUnsupported(const JsonCursor& list) {
  std::vector<Unsupported> unsupported;
  for (const JsonCursor& cursor : list.Items()) {
    cursor.AllowOnly({"step", "reason"});
    unsupported.push_back(
        {.step = cursor["step"].Text(), .reason = cursor["reason"].Text()});
  }
  return unsupported;
}

// Writes the answers of one case after another, and collects the unsupported
// steps.
class AnswersWriter {
 public:
  Json Write(const AnswersByKey& answers) {
    Json json = Json::object();
    std::map<std::string, std::string> first;  // the key, by the answer's text
    for (const auto& [key, answer] : answers) {
      Json one = ToJson(answer);
      if (!one.is_number()) {
        const auto [same, is_new] = first.emplace(one.dump(), key);
        if (!is_new) one = same->second;
      }
      json[key] = std::move(one);
    }
    return json;
  }

  const std::vector<Json>& unsupported() const { return unsupported_; }

 private:
  Json ToJson(const Answer& answer) {
    if (std::holds_alternative<Unsupported>(answer)) {
      return IndexOf(AnswerToJson(answer)["unsupported"]);
    }
    if (const auto* crashed = std::get_if<Crashed>(&answer)) {
      return {{"crashed", crashed->by}};
    }
    if (const auto* problem = std::get_if<ProtocolError>(&answer)) {
      return {{"protocol_error", PortableMessage(problem->what)}};
    }
    Json json = AnswerToJson(answer);
    if (const auto* failure = std::get_if<Failure>(&answer)) {
      json["error"]["message"] = PortableMessage(failure->message);
    }
    return json;
  }

  size_t IndexOf(const Json& unsupported) {
    const size_t index =
        std::ranges::find(unsupported_, unsupported) - unsupported_.begin();
    if (index == unsupported_.size()) unsupported_.push_back(unsupported);
    return index;
  }

  std::vector<Json> unsupported_;
};

std::string Lines(const std::vector<Json>& values) {
  std::string text;
  for (const Json& value : values) {
    text += (text.empty() ? "\n  " : ",\n  ") +
            value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text + "\n ";
}

}  // namespace

Provenance ReadProvenance(const JsonCursor& cursor) {
  cursor.AllowOnly({"date", "machine", "packages", "program", "steps"});
  const auto text = [&](const char* field) {
    const auto found = cursor.Find(field);
    return found ? found->String() : std::string();
  };
  const auto texts = [&](const char* field) {
    const auto found = cursor.Find(field);
    return found ? ReadTexts(*found) : std::map<std::string, std::string>();
  };
  return {.date = text("date"),
          .machine = text("machine"),
          .packages = texts("packages"),
          .program = text("program"),
          .steps = texts("steps")};
}

AnswerStore LoadAnswers(const std::string& path) {
  const Json json = ReadJsonFile(path);
  const JsonCursor root(json, path, kOperation);
  root.AllowOnly({"format", "testee", "recordings", "unsupported", "cases"});
  root["format"].IntegerBetween(kFormat, kFormat);
  AnswerStore store{.declaration = ReadDeclaration(root["testee"])};
  for (const JsonCursor& cursor : root["recordings"].Items()) {
    store.recordings.push_back(ReadProvenance(cursor));
  }
  const std::vector<Unsupported> unsupported =
      ReadUnsupported(root["unsupported"]);
  const AnswersReader reader(unsupported);
  const auto last = static_cast<int64_t>(store.recordings.size()) - 1;
  for (const JsonCursor& cursor : root["cases"].Items()) {
    cursor.AllowOnly({"id", "recording", "answers", "first_differences"});
    StoredCase stored{.recording = 0,
                      .answers = reader.Read(cursor["answers"])};
    if (const auto recording = cursor.Find("recording")) {
      stored.recording =
          static_cast<size_t>(recording->IntegerBetween(0, last));
    }
    if (const auto differences = cursor.Find("first_differences")) {
      for (const auto& [key, by_observation] : differences->Fields()) {
        stored.first_differences.emplace(key, ReadTexts(by_observation));
      }
    }
    const std::string id = cursor["id"].Text();
    if (!store.cases.emplace(id, std::move(stored)).second) {
      cursor["id"].Fail(fmt::format("duplicate case '{}'", id));
    }
  }
  return store;
}

std::string AnswersToText(const AnswerStore& store) {
  AnswersWriter writer;
  std::vector<Json> cases, recordings;
  for (const auto& [id, stored] : store.cases) {
    cases.push_back({{"id", id}});
    // Nearly all cases are of the first recording.
    if (stored.recording != 0) cases.back()["recording"] = stored.recording;
    cases.back()["answers"] = writer.Write(stored.answers);
    if (!stored.first_differences.empty()) {
      cases.back()["first_differences"] = stored.first_differences;
    }
  }
  for (const Provenance& provenance : store.recordings) {
    recordings.push_back(ToJson(provenance));
  }
  return fmt::format(
      "{{\n \"format\": {},\n \"testee\": {},\n \"recordings\": [{}],\n"
      " \"unsupported\": [{}],\n \"cases\": [{}]\n}}\n",
      kFormat, DeclarationToJson(store.declaration).dump(), Lines(recordings),
      Lines(writer.unsupported()), Lines(cases));
}

std::string PortableMessage(const std::string& message) {
  const auto is_of_path = [](char c) {
    return c > ' ' && c != '\'' && c != '"' && c != ',' && c != ':' &&
           c != ')' && c != '(' && c != '`' && c != '=';
  };
  std::string text;
  for (size_t i = 0; i < message.size();) {
    const bool begins =
        message[i] == '/' && (i == 0 || !is_of_path(message[i - 1]));
    size_t end = i;
    while (begins && end < message.size() && is_of_path(message[end])) ++end;
    const size_t last = message.find_last_of('/', end - (begins ? 1 : 0));
    if (begins && last > i) {
      text += "..." + message.substr(last, end - last);
      i = end;
    } else {
      text += message[i++];
    }
  }
  if (text.size() <= kMaxStoredMessageBytes) return text;
  size_t end = kMaxStoredMessageBytes;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // inside a character
  return text.substr(0, end) + "...";
}

}  // namespace lockstep
