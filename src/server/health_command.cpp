#include "server/health_command.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <exception>

#include "http/fetch.hpp"
#include "http/tls_context.hpp"

namespace kvgate::server {

int health_command(EngineUrl const& url) {
  boost::asio::io_context io;
  http::TlsContext const tls("", false);
  http::FetchRequest request(url, url.base.empty() ? "/health" : url.base);
  int code = 1;
  boost::asio::co_spawn(io, http::fetch(std::move(request), tls),
                        [&](std::exception_ptr failure, Result<http::FetchResponse> answer) {
                          if (failure || !answer) {
                            std::printf("unhealthy: %s\n", failure ? "internal error" : answer.error().message.c_str());
                            return;
                          }
                          std::printf("%s: status %d\n", answer->status == 200 ? "healthy" : "unhealthy", answer->status);
                          code = answer->status == 200 ? 0 : 1;
                        });
  io.run();
  return code;
}

}  // namespace kvgate::server
