#include "conformance/runner/output/xml_element.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(XmlElementTest, WritesAttributesTextAndChildren) {
  XmlElement suite("testsuite");
  suite.Set("name", "input/rebatch").Set("tests", "2");
  suite.Add("testcase");
  suite.Add("testcase").Add("failure").SetText("2 < 3");
  EXPECT_EQ(suite.Write(),
            "<testsuite name=\"input/rebatch\" tests=\"2\">\n"
            "  <testcase/>\n"
            "  <testcase>\n"
            "    <failure>2 &lt; 3</failure>\n"
            "  </testcase>\n"
            "</testsuite>\n");
}

TEST(XmlElementTest, EscapesWhatXmlReserves) {
  EXPECT_EQ(XmlElement("a").Set("b", "<\"&\">\n").Write(),
            "<a b=\"&lt;&quot;&amp;&quot;&gt;&#10;\"/>\n");
}

TEST(XmlElementTest, ReplacesWhatNoXmlCanHold) {
  EXPECT_EQ(XmlElement("a").SetText("\x1b[31mred\xff\u00e9").Write(),
            "<a>\\x1b[31mred\ufffd\u00e9</a>\n");
}

}  // namespace
}  // namespace lockstep
