#include "conformance/runner/output/junit.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "conformance/runner/text/readable_text.h"
#include "conformance/runner/verdicts/explain.h"

namespace lockstep {
namespace {

// ReadableText replaces control characters, which XML 1.0 cannot represent.
std::string Escape(const std::string& text, bool in_attribute) {
  std::string escaped;
  for (char c : ReadableText(text)) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\n' && in_attribute) {
      escaped += "&#10;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

XmlElement& XmlElement::Set(const std::string& attribute,
                            const std::string& value) {
  attributes_.emplace_back(attribute, Escape(value, true));
  return *this;
}

XmlElement& XmlElement::SetText(const std::string& text) {
  text_ = Escape(text, false);
  return *this;
}

XmlElement& XmlElement::Add(const std::string& name) {
  return children_.emplace_back(name);
}

std::string XmlElement::Write(int indent) const {
  const std::string margin(indent, ' ');
  std::string xml = margin + "<" + name_;
  for (const auto& [attribute, value] : attributes_) {
    xml += " " + attribute + "=\"" + value + "\"";
  }
  if (text_.empty() && children_.empty()) return xml + "/>\n";
  xml += ">" + text_;
  if (!children_.empty()) xml += "\n";
  for (const XmlElement& child : children_) xml += child.Write(indent + 2);
  if (!children_.empty()) xml += margin;
  return xml + "</" + name_ + ">\n";
}

namespace {

// The child of a test element; kPassed: none.
enum class Outcome { kPassed, kFailure, kError, kSkipped };

struct Counts {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  double seconds = 0;

  void Add(Outcome outcome, double duration) {
    ++tests;
    failures += outcome == Outcome::kFailure;
    errors += outcome == Outcome::kError;
    skipped += outcome == Outcome::kSkipped;
    seconds += duration;
  }

  void Add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    seconds += other.seconds;
  }

  void WriteTo(XmlElement& element) const {
    element.Set("tests", std::to_string(tests))
        .Set("failures", std::to_string(failures))
        .Set("errors", std::to_string(errors))
        .Set("skipped", std::to_string(skipped))
        .Set("time", fmt::format("{:.3f}", seconds));
  }
};

class JUnitWriter {
 public:
  JUnitWriter(const SuiteResult& suite, const Sources& sources)
      : suite_(suite), sources_(sources) {}

  std::string Write() {
    std::map<std::string, std::vector<const CaseRecord*>> topics;
    for (const CaseRecord& record : suite_.records) {
      topics[TopicOf(record.id())].push_back(&record);
    }
    root_.Set("name", "conformance of " + Name());
    for (const auto& [topic, records] : topics) AddTopic(topic, records);
    AddTestsOfTheRun();
    total_.WriteTo(root_);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + root_.Write();
  }

 private:
  const std::string& Name() const { return suite_.name; }

  XmlElement& AddSuite(const std::string& name, const Counts& counts) {
    total_.Add(counts);
    XmlElement& element = root_.Add("testsuite");
    element.Set("name", name).Set("timestamp", suite_.started);
    counts.WriteTo(element);
    return element;
  }

  void AddTopic(const std::string& topic,
                const std::vector<const CaseRecord*>& records) {
    Counts counts;
    for (const CaseRecord* record : records) {
      counts.Add(OutcomeOf(*record), SecondsOf(record->result()));
    }
    XmlElement& element = AddSuite(topic, counts);
    for (const CaseRecord* record : records) AddCase(element, *record);
  }

  void AddCase(XmlElement& topic_element, const CaseRecord& record) {
    const std::string topic = TopicOf(record.id());
    std::string class_name = "conformance." + Name() + "." + topic;
    std::ranges::replace(class_name, '/', '.');
    XmlElement& element = topic_element.Add("testcase");
    element.Set("classname", class_name)
        .Set("name", record.id().substr(topic.size() + 1))
        .Set("file", "conformance/cases/" + topic + ".json")
        .Set("time", fmt::format("{:.6f}", SecondsOf(record.result())));
    AddOutcome(element, record);
  }

  Outcome OutcomeOf(const CaseRecord& record) const {
    const Verdict verdict = record.result().verdict;
    if (suite_.IsUnexpected(record.id())) {
      return verdict < Verdict::kErrored ? Outcome::kFailure : Outcome::kError;
    }
    return verdict == Verdict::kPassed && CountsAsTest(record)
               ? Outcome::kPassed
               : Outcome::kSkipped;
  }

  // Only required and enforced cases count as passed or failed tests.
  bool CountsAsTest(const CaseRecord& record) const {
    const Level level = record.result().conformance_case->level;
    return level == Level::kRequired ||
           std::ranges::find(suite_.settings.enforced, level) !=
               suite_.settings.enforced.end();
  }

  void AddOutcome(XmlElement& element, const CaseRecord& record) {
    const Outcome outcome = OutcomeOf(record);
    const CaseResult& result = record.result();
    if (outcome == Outcome::kPassed) {
      if (result.matches) return;
      element.Add("system-out").SetText(DescribeVerdict(result));
      return;
    }
    const std::string rerun = RerunCommand(suite_.settings, record.id());
    if (outcome == Outcome::kSkipped) {
      element.Add("skipped").Set("message", WhySkipped(result));
    } else {
      element.Add(outcome == Outcome::kError ? "error" : "failure")
          .Set("type", std::string(VerdictName(result.verdict)))
          .Set("message", ProblemsOf(record.id()))
          .SetText(ExplainResult(result, sources_, rerun,
                                 ExplainCommand(suite_.settings, record.id())));
    }
    element.Add("system-out").SetText("rerun: " + rerun);
  }

  // Why a listed case, or one that does not count as a test, is skipped.
  std::string WhySkipped(const CaseResult& result) const {
    const Case& conformance_case = *result.conformance_case;
    const std::optional<Deviation> entry = suite_.deviations.FindFor(result);
    if (!entry) {
      return fmt::format("{}: {}", LevelName(conformance_case.level),
                         DescribeVerdict(result));
    }
    return fmt::format("{} as listed ({}): {}", VerdictName(result.verdict),
                       entry->kind, entry->reason);
  }

  std::string ProblemsOf(const std::string& subject) const {
    std::string text;
    for (const Unexpected& unexpected : suite_.unexpected) {
      if (unexpected.subject != subject) continue;
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ",
                          ProblemName(unexpected.problem), unexpected.text);
    }
    return text;
  }

  // Adds tests for problems of the list itself, and for an interruption.
  void AddTestsOfTheRun() {
    std::vector<std::pair<std::string, std::string>> failures;
    for (const Unexpected& unexpected : suite_.unexpected) {
      if (std::ranges::find(suite_.records, unexpected.subject,
                            &CaseRecord::id) != suite_.records.end()) {
        continue;
      }
      failures.emplace_back(unexpected.subject + " " +
                                std::string(ProblemName(unexpected.problem)),
                            unexpected.text);
    }
    if (!suite_.complete) {
      failures.emplace_back("complete", "interrupted: cases are missing");
    }
    if (failures.empty()) return;
    Counts counts;
    for (size_t i = 0; i < failures.size(); ++i)
      counts.Add(Outcome::kFailure, 0);
    XmlElement& element = AddSuite("list of deviations", counts);
    for (const auto& [name, text] : failures) {
      element.Add("testcase")
          .Set("classname", "conformance." + Name() + ".deviations")
          .Set("name", name)
          .Set("time", "0")
          .Add("failure")
          .Set("message", text);
    }
  }

  const SuiteResult& suite_;
  const Sources& sources_;
  XmlElement root_{"testsuites"};
  Counts total_;
};

}  // namespace

std::string ToJUnit(const SuiteResult& suite, const Sources& sources) {
  return JUnitWriter(suite, sources).Write();
}

}  // namespace lockstep
