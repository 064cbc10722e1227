#include "http/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <stdexcept>

#include "base/address.hpp"

namespace kvgate::http {
namespace {

constexpr unsigned char kAlpn[] = "\x08http/1.1";

std::string last_error() {
  char text[256] = "unknown error";
  if (auto const code = ERR_get_error()) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return text;
}

void trust(SSL_CTX* context, std::string const& ca_file) {
  // Opening a FIFO would wait for its writer.
  if (!std::filesystem::is_regular_file(ca_file)) {
    throw std::runtime_error("cannot load trusted certificates from '" + ca_file + "': there is no such regular file");
  }
  ERR_clear_error();
  if (SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr) == 1) return;
  throw std::runtime_error("cannot load trusted certificates from '" + ca_file + "': " + last_error());
}

bool expect_host(SSL* ssl, std::string const& host) {
  auto* const param = SSL_get0_param(ssl);
  if (address_of_literal(host, 0)) return X509_VERIFY_PARAM_set1_ip_asc(param, host.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(param, host.c_str(), host.size()) == 1 &&
         SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

void SslFree::operator()(ssl_st* ssl) const noexcept {
  SSL_free(ssl);
}

void TlsContext::ContextFree::operator()(ssl_ctx_st* context) const noexcept {
  SSL_CTX_free(context);
}

TlsContext::TlsContext(std::string const& ca_file, bool insecure_skip_verify)
    : context_(SSL_CTX_new(TLS_client_method())), trusts_system_(ca_file.empty() && !insecure_skip_verify) {
  auto* const context = context_.get();
  if (!context) throw std::runtime_error("cannot make a TLS context: " + last_error());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_protos(context, kAlpn, sizeof kAlpn - 1);
  SSL_CTX_set_verify(context, insecure_skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  // Even when nothing is verified, a file that cannot be read is a mistake to tell.
  if (!ca_file.empty()) trust(context, ca_file);
}

ssl_ctx_st* TlsContext::native() const {
  if (trusts_system_) {
    // A system without authorities trusts nobody: every handshake fails and says so.
    std::call_once(system_read_, [this] { SSL_CTX_set_default_verify_paths(context_.get()); });
  }
  return context_.get();
}

UniqueSsl TlsContext::new_session(std::string const& host) const {
  UniqueSsl ssl(SSL_new(native()));
  if (!ssl || !expect_host(ssl.get(), host)) return nullptr;
  SSL_set_connect_state(ssl.get());
  return ssl;
}

}  // namespace kvgate::http
