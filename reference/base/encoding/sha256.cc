#include "reference/base/encoding/sha256.h"

#include <fmt/core.h>
#include <openssl/evp.h>

#include "reference/base/check.h"

namespace lockstep {

struct Sha256::State {
  State() : context(EVP_MD_CTX_new()) { LOCKSTEP_CHECK(context != nullptr); }
  ~State() { EVP_MD_CTX_free(context); }

  EVP_MD_CTX* context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  LOCKSTEP_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) ==
                 1);
}

Sha256::~Sha256() = default;

void Sha256::Update(std::string_view bytes) {
  LOCKSTEP_CHECK(
      EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::HexDigest() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  LOCKSTEP_CHECK(EVP_DigestFinal_ex(state_->context, digest, &size) == 1);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += fmt::format("{:02x}", digest[i]);
  }
  return text;
}

}  // namespace lockstep
