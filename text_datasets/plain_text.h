// English prose in plain text, as sentences by section.
//
//   ParsePlainText(
//       "1.1. Boats\n"
//       "\n"
//       "A boat has one owner. Others may\n"
//       "borrow it, e.g. The Harbor Club.\n"
//       "\n"
//       "    boat --list\n"
//       "\n"
//       "1.2. Oars\n"
//       "\n"
//       "  * Oars are lent in pairs.\n",
//       "boats.txt");
//   // {{"A boat has one owner.",
//   //   "Others may borrow it, e.g. The Harbor Club."},
//   //  {"Oars are lent in pairs."}}
//
// A paragraph ends at an empty line, where the text begins in another column, and
// before a mark (* + -) or number (2.) of a list, which is no part of it. Its
// lines are joined by single spaces; a no-break space is one too. A section
// ends at a heading: a paragraph above a line of one mark, three times or more
// (====), or one that begins with a number of two parts or more (1.2. or A.1.).
//
// A sentence ends with . ? or ! and the quotes and brackets that follow it, at
// the end of its paragraph or before a space and a capital letter, digit, quote
// or bracket; but not after a single letter (e.g.) or a title (Dr.). Only prose
// counts: three words or more that begin with a capital letter, without signs of
// code and tables (<>{}|\=$#) and control characters.
#ifndef LOCKSTEP_TEXT_DATASETS_PLAIN_TEXT_H_
#define LOCKSTEP_TEXT_DATASETS_PLAIN_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Sections without a sentence are left out. `origin` leads error messages.
// Errors: DataLoss, with the line, for bytes that are not UTF-8.
std::vector<std::vector<std::string>> ParsePlainText(std::string_view text,
                                                     const std::string& origin);

// Of a file, which gzip may have compressed. Errors also: NotFound, Unavailable;
// DataLoss for a damaged archive.
std::vector<std::vector<std::string>> ReadPlainText(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_PLAIN_TEXT_H_
