// SHA-256 of bytes given in pieces.
//
//   Sha256 hash;
//   hash.Update("a");
//   hash.Update("bc");
//   hash.HexDigest();   // "ba7816bf 8f01cfea ..." without the spaces
#ifndef LOCKSTEP_REFERENCE_BASE_ENCODING_SHA256_H_
#define LOCKSTEP_REFERENCE_BASE_ENCODING_SHA256_H_

#include <memory>
#include <string>
#include <string_view>

namespace lockstep {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(std::string_view bytes);
  // 64 lower case digits. REQUIRES: called once, last.
  std::string HexDigest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ENCODING_SHA256_H_
