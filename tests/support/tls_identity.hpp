// A self-signed certificate with its key, made at run time: tests keep no secrets in files.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

namespace kvgate::test {

class TlsIdentity {
 public:
  /// `alt_names` as OpenSSL writes them: "DNS:localhost,IP:127.0.0.1".
  explicit TlsIdentity(std::string const& alt_names) : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    auto* const x = certificate_.get();
    X509_set_version(x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key_.get());
    auto* const name = X509_get_subject_name(x);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<unsigned char const*>("test"), -1, -1, 0);
    X509_set_issuer_name(x, name);
    auto* const names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, alt_names.c_str());
    X509_add_ext(x, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(x, key_.get(), EVP_sha256());
  }

  /// Makes a server of the context.
  void install(SSL_CTX* context) const {
    SSL_CTX_use_certificate(context, certificate_.get());
    SSL_CTX_use_PrivateKey(context, key_.get());
  }

  /// Writes the certificate as PEM, for clients that are to trust it.
  void write_pem(std::string const& path) const {
    std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_file(path.c_str(), "w"), BIO_free);
    PEM_write_bio_X509(bio.get(), certificate_.get());
  }

 private:
  template <auto Free>
  struct Deleter {
    template <class T>
    void operator()(T* object) const {
      Free(object);
    }
  };
  std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>> key_;
  std::unique_ptr<X509, Deleter<X509_free>> certificate_;
};

}  // namespace kvgate::test
