// Where this system gets its packages from.
//
//   DebianMirrors();   // {"http://mirror.example/debian/"}
#ifndef LOCKSTEP_TEXT_DATASETS_DEBIAN_MIRRORS_H_
#define LOCKSTEP_TEXT_DATASETS_DEBIAN_MIRRORS_H_

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// As apt's sources have them, each once; none without apt.
std::vector<std::string> DebianMirrors();

// Of a list with a URL a line: those that can be downloaded from, each once.
//
//   MirrorsIn("http://a/debian\ncdrom:[x]\nhttp://a/debian\n");
//                                              // {"http://a/debian/"}
std::vector<std::string> MirrorsIn(std::string_view lines);

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_DEBIAN_MIRRORS_H_
