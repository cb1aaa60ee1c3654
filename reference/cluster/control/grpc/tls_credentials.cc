#include "reference/cluster/control/grpc/tls_credentials.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

#include "reference/base/error.h"

namespace lockstep::control_internal {
namespace {

struct PemTexts {
  std::string authority;
  std::string certificate;
  std::string key;
};

struct OpenSslDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <typename T>
using OpenSslPointer = std::unique_ptr<T, OpenSslDeleter>;

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw SystemError(errno, "[TlsFiles] cannot read {}", path);
  }
  return text.str();
}

OpenSslPointer<BIO> AsBio(const std::string& text) {
  return OpenSslPointer<BIO>(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// gRPC would find these errors too, but only log them.
OpenSslPointer<X509> ParseCertificate(const std::string& text,
                                      const std::string& path) {
  OpenSslPointer<X509> certificate(
      PEM_read_bio_X509(AsBio(text).get(), nullptr, nullptr, nullptr));
  if (certificate) return certificate;
  throw InvalidArgument("[TlsFiles] no certificate in {}", path);
}

OpenSslPointer<EVP_PKEY> ParseKey(const std::string& text,
                                  const std::string& path) {
  // With an empty password OpenSSL does not prompt for one.
  char no_password[] = "";
  OpenSslPointer<EVP_PKEY> key(PEM_read_bio_PrivateKey(
      AsBio(text).get(), nullptr, nullptr, no_password));
  if (key) return key;
  throw InvalidArgument("[TlsFiles] no key in {}, or one with a password",
                        path);
}

PemTexts ReadTexts(const TlsFiles& files) {
  PemTexts texts{.authority = ReadText(files.authority),
                 .certificate = ReadText(files.certificate),
                 .key = ReadText(files.key)};
  ParseCertificate(texts.authority, files.authority);
  const auto certificate =
      ParseCertificate(texts.certificate, files.certificate);
  const auto key = ParseKey(texts.key, files.key);
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    throw InvalidArgument("[TlsFiles] {} is not the key of {}", files.key,
                          files.certificate);
  }
  return texts;
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(
    const std::optional<TlsFiles>& files) {
  if (!files) return grpc::InsecureServerCredentials();
  PemTexts texts = ReadTexts(*files);
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = std::move(texts.authority);
  options.pem_key_cert_pairs.push_back(
      {std::move(texts.key), std::move(texts.certificate)});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> MakeChannelCredentials(
    const std::optional<TlsFiles>& files) {
  if (!files) return grpc::InsecureChannelCredentials();
  PemTexts texts = ReadTexts(*files);
  return grpc::SslCredentials({.pem_root_certs = std::move(texts.authority),
                               .pem_private_key = std::move(texts.key),
                               .pem_cert_chain = std::move(texts.certificate)});
}

}  // namespace lockstep::control_internal
