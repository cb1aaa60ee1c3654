#include "reference/cluster/control/certificates_testing.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "reference/base/check.h"

namespace lockstep {
namespace {

struct OpenSslDeleter {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Certificate = std::unique_ptr<X509, OpenSslDeleter>;
using Key = std::unique_ptr<EVP_PKEY, OpenSslDeleter>;

constexpr long kDay = 24 * 60 * 60;

void AddExtension(X509* certificate, int kind, const std::string& value) {
  X509_EXTENSION* extension =
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  LOCKSTEP_CHECK(extension && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

// Signed by `issuer`, or self-signed without one.
Certificate MakeCertificate(const std::string& subject, EVP_PKEY* key,
                            const X509* issuer, EVP_PKEY* issuer_key,
                            int extension, const std::string& value) {
  Certificate made(X509_new());
  X509* x = made.get();
  static int serial = 0;
  X509_set_version(x, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(x), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(x), kDay);
  X509_set_pubkey(x, key);
  X509_NAME* name = X509_get_subject_name(x);
  X509_NAME_add_entry_by_txt(
      name, "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>(subject.c_str()), -1, -1, 0);
  X509_set_issuer_name(x, issuer ? X509_get_subject_name(issuer) : name);
  AddExtension(x, extension, value);
  LOCKSTEP_CHECK(X509_sign(x, issuer_key, EVP_sha256()) > 0);
  return made;
}

template <typename Write>
void WriteFile(const std::string& path, const Write& write) {
  FILE* file = std::fopen(path.c_str(), "w");
  LOCKSTEP_CHECK(file && write(file) == 1 && std::fclose(file) == 0);
}

void WriteCertificate(const std::string& path, X509* certificate) {
  WriteFile(path, [&](FILE* f) { return PEM_write_X509(f, certificate); });
}

}  // namespace

struct TestAuthority::Keys {
  Key key{EVP_EC_gen("P-256")};
  Certificate certificate;
};

TestAuthority::TestAuthority(std::string name)
    : name_(std::move(name)), keys_(std::make_unique<Keys>()) {
  keys_->certificate =
      MakeCertificate(name_, keys_->key.get(), nullptr, keys_->key.get(),
                      NID_basic_constraints, "critical,CA:TRUE");
  WriteCertificate(PathOf("authority"), keys_->certificate.get());
}

TestAuthority::~TestAuthority() = default;

std::string TestAuthority::PathOf(const std::string& file) const {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name_ + "_" + file +
         ".pem";
}

TlsFiles TestAuthority::Issue(const std::string& owner,
                              const std::string& address) const {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate =
      MakeCertificate(owner, key.get(), keys_->certificate.get(),
                      keys_->key.get(), NID_subject_alt_name, "IP:" + address);
  const TlsFiles files{.authority = PathOf("authority"),
                       .certificate = PathOf(owner),
                       .key = PathOf(owner + "_key")};
  WriteCertificate(files.certificate, certificate.get());
  WriteFile(files.key, [&](FILE* f) {
    return PEM_write_PrivateKey(f, key.get(), nullptr, nullptr, 0, nullptr,
                                nullptr);
  });
  return files;
}

}  // namespace lockstep
