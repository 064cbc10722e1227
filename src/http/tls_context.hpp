// TLS towards engines: what is trusted, and new TLS sessions made from it.
#pragma once

#include <memory>
#include <mutex>
#include <string>

struct ssl_st;
struct ssl_ctx_st;

namespace kvgate::http {

struct SslFree {
  void operator()(ssl_st* ssl) const noexcept;
};
using UniqueSsl = std::unique_ptr<ssl_st, SslFree>;

/// Owns an SSL_CTX of a client: TLS 1.2 or later, ALPN http/1.1. Immutable once made, so all threads may share it.
class TlsContext {
 public:
  /// `ca_file`: PEM file of trusted authorities; empty: the system's, read at the first use (it takes time and memory
  /// that a fleet without TLS need not spend). Throws std::runtime_error, naming the file, when it cannot be read or
  /// holds no certificate.
  TlsContext(std::string const& ca_file, bool insecure_skip_verify);

  ssl_ctx_st* native() const;

  /// A client session that checks the certificate against `host` (a name or an address literal without brackets) and
  /// sends SNI for names. Null when there is no memory. The caller attaches the transport.
  UniqueSsl new_session(std::string const& host) const;

 private:
  struct ContextFree {
    void operator()(ssl_ctx_st* context) const noexcept;
  };
  std::unique_ptr<ssl_ctx_st, ContextFree> context_;
  bool const trusts_system_;
  mutable std::once_flag system_read_;
};

}  // namespace kvgate::http
