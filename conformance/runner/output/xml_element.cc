#include "conformance/runner/output/xml_element.h"

#include "conformance/runner/readable_text.h"

namespace lockstep {
namespace {

// Controls, for which XML 1.0 has no way to write, are text by ReadableText.
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

}  // namespace lockstep
