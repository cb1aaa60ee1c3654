// The results of a run as JUnit XML, in the form that Jenkins and GitLab read.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_JUNIT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_JUNIT_H_

#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/output/suite_result.h"

namespace lockstep {

// An element of an XML document, for writing.
//
//   XmlElement suite("testsuite");
//   suite.Set("name", "a & b");
//   suite.Add("testcase").Set("time", "0.1");
//   suite.Write();   // <testsuite name="a &amp; b">\n  <testcase .../>...
class XmlElement {
 public:
  explicit XmlElement(std::string name) : name_(std::move(name)) {}

  XmlElement& Set(const std::string& attribute, const std::string& value);
  // Its text; an element has text or children.
  XmlElement& SetText(const std::string& text);
  // A new last child; stays valid as more are added.
  XmlElement& Add(const std::string& name);

  // The element with its children, indented. Invalid UTF-8 and characters that
  // XML forbids are replaced.
  std::string Write(int indent = 0) const;

 private:
  std::string name_;
  std::vector<std::pair<std::string, std::string>> attributes_;  // escaped
  std::string text_;                                             // escaped
  std::list<XmlElement> children_;
};

// One test suite per topic, one test per case, and another suite for wrong
// entries of the list of deviations. It has failures exactly if the run is not
// as expected:
//   <failure>  a case that is not as listed
//   <error>    such a case that ended with an error, or gave no answer
//   <skipped>  a case that differs as listed, or is unsupported as listed
// An interrupted run ends with a test "complete" that failed.
std::string ToJUnit(const SuiteResult& suite, const Sources& sources);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_JUNIT_H_
