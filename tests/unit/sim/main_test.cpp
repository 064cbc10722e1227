// `kvgate sim` as a process: the line it prints, the options it takes, how it ends.
#include "sim/main.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "unit/sim/client.hpp"

namespace kvgate::sim::test {
namespace {

/// sim_main() in a child process whose standard output can be read.
class Process {
 public:
  explicit Process(std::vector<char const*> arguments) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    std::fflush(stdout);   // else the child would print what is buffered once more
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
      arguments.insert(arguments.begin(), "sim");
      ::_exit(sim_main(static_cast<int>(arguments.size()), arguments.data()));
    }
    ::close(ends[1]);
    output_ = ::fdopen(ends[0], "r");
  }
  ~Process() {
    if (pid_ > 0) end(SIGKILL);
    std::fclose(output_);
  }

  std::string line() {
    char text[512] = "";
    return std::fgets(text, sizeof text, output_) == nullptr ? std::string() : std::string(text);
  }

  /// The exit code; -1 when a signal ended it. Signal 0 only waits.
  int end(int signal) {
    int status = 0;
    ::kill(pid_, signal);
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  std::FILE* output_ = nullptr;
};

std::uint16_t port_in(std::string const& line) {
  std::string const before = "sim engine listening on http://127.0.0.1:";
  if (!line.starts_with(before)) return 0;
  return static_cast<std::uint16_t>(std::stoi(line.substr(before.size())));
}

TEST(SimMain, ServesEveryEngineUntilTheSignal) {
  for (int const signal : {SIGINT, SIGTERM}) {
    Process process({"--port", "0", "--count", "2", "--name", "e", "--model", "m", "--lora", "l:m"});
    for (std::string const name : {"e-0", "e-1"}) {
      auto const line = process.line();
      EXPECT_TRUE(line.ends_with(" model=m\n")) << line;
      auto const models = request(port_in(line), "GET", "/v1/models");
      EXPECT_EQ(models.header("x-sim-engine"), name);
      EXPECT_EQ(models.json()["data"].size(), 2U);
    }
    EXPECT_EQ(process.end(signal), 0);
  }
}

TEST(SimMain, OptionsReachTheEngine) {
  Process process({"--api-key", "k", "--tokens", "3", "--ttft-ms", "0", "--itl-ms", "0.5", "--block-size", "8"});
  auto const port = port_in(process.line());
  EXPECT_EQ(request(port, "GET", "/v1/models").status, 401);
  auto const answer = request(port, "POST", "/v1/completions", R"({"prompt":"hi"})", "Authorization: Bearer k\r\n");
  EXPECT_EQ(answer.json()["usage"]["completion_tokens"], 3);
  EXPECT_NE(request(port, "GET", "/metrics").body.find("block_size=\"8\""), std::string::npos);
}

TEST(SimMain, ExitCodes) {
  struct Case {
    std::vector<char const*> arguments;
    int code;
  };
  Case const cases[] = {
      {{"--help"}, 0},         {{"--no-such-option"}, 2},  {{"--port", "high"}, 2},
      {{"--tokens", "-1"}, 2}, {{"--block-size", "0"}, 2}, {{"--host", "192.0.2.1"}, 1},
  };
  for (auto const& c : cases) EXPECT_EQ(Process(c.arguments).end(0), c.code) << c.arguments.front();
}

}  // namespace
}  // namespace kvgate::sim::test
