// An element of an XML document, for writing.
//
//   XmlElement suite("testsuite");
//   suite.Set("name", "a & b");
//   suite.Add("testcase").Set("time", "0.1");
//   suite.Write();   // <testsuite name="a &amp; b">\n  <testcase .../>...
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_XML_ELEMENT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_XML_ELEMENT_H_

#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

class XmlElement {
 public:
  explicit XmlElement(std::string name) : name_(std::move(name)) {}

  XmlElement& Set(const std::string& attribute, const std::string& value);
  // Its text; an element has text or children.
  XmlElement& SetText(const std::string& text);
  // A new last child; stays valid as more are added.
  XmlElement& Add(const std::string& name);

  // With what is below it, indented. Bytes that are no UTF-8 and characters that
  // XML forbids are replaced.
  std::string Write(int indent = 0) const;

 private:
  std::string name_;
  std::vector<std::pair<std::string, std::string>> attributes_;  // escaped
  std::string text_;                                             // escaped
  std::list<XmlElement> children_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_XML_ELEMENT_H_
