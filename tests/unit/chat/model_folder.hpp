// A model's folder in a few words.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "unit/tokenizer/json.hpp"

namespace kvgate::text::test {

/// Gone with the object.
class ModelFolder {
 public:
  ModelFolder() : path_(std::filesystem::temp_directory_path() / ("kvgate-model-" + std::to_string(++count()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ModelFolder() { std::filesystem::remove_all(path_); }
  ModelFolder(ModelFolder const&) = delete;
  ModelFolder& operator=(ModelFolder const&) = delete;

  ModelFolder& write(std::string const& name, std::string const& content) {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return *this;
  }

  /// A tokenizer that knows bytes, and special tokens: ids are bytes, `<end>` is 256, `more_tokens` come behind it.
  ModelFolder& write_byte_tokenizer(std::string const& post_processor = "null",
                                    std::vector<std::string> const& more_tokens = {}) {
    std::string tokens = added("<end>", "special");
    for (std::string const& token : more_tokens) tokens += "," + added(token, "special");
    std::string vocabulary;
    for (int byte = 0; byte < 256; ++byte) {
      char name[16];
      std::snprintf(name, sizeof name, "<0x%02X>", byte);
      vocabulary += (byte > 0 ? ",\"" : "\"") + std::string(name) + "\":" + std::to_string(byte);
    }
    File file{.post_processor = post_processor,
              .added_tokens = "[" + tokens + "]",
              .model = R"({"type":"BPE","byte_fallback":true,"merges":[],"vocab":{)" + vocabulary + "}}"};
    return write("tokenizer.json", file.json());
  }

  std::filesystem::path const& path() const { return path_; }

 private:
  static int& count() {
    static int counter =
        static_cast<int>(std::filesystem::file_time_type::clock::now().time_since_epoch().count() % 1000000) * 100;
    return counter;
  }

  std::filesystem::path path_;
};

}  // namespace kvgate::text::test
