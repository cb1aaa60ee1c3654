// Unpacks a package of Debian, by dpkg-deb, which Debian and Ubuntu have.
//
//   UnpackDeb("dpkg_1.21.23_amd64.deb", "unpacked/dpkg");
//   // unpacked/dpkg/usr/share/locale/de/LC_MESSAGES/dpkg.mo, ...
#ifndef LOCKSTEP_TEXT_DATASETS_UNPACK_DEB_H_
#define LOCKSTEP_TEXT_DATASETS_UNPACK_DEB_H_

#include <string>

namespace lockstep {

// Makes the folder. Errors: NotFound for no dpkg-deb; DataLoss if it fails, which
// prints why.
void UnpackDeb(const std::string& package, const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_UNPACK_DEB_H_
