#include "tokens/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace kvgate::tokens {
namespace {

namespace fs = std::filesystem;

class Folders : public testing::Test {
 protected:
  Folders() { fs::create_directories(root_); }
  ~Folders() override { fs::remove_all(root_); }

  void file(std::string const& path, std::string const& text = "{}") const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::string found(std::string const& id) const {
    auto const folder = find_folder({(root_ / "dir").string(), (root_ / "hub").string()}, id);
    return folder ? fs::relative(*folder, root_).string() : "";
  }

  fs::path const root_ = fs::path(testing::TempDir()) / ("folders_" + std::to_string(::getpid()));
};

TEST_F(Folders, AreFoundByTheModelsName) {
  file("dir/org/name/tokenizer.json");
  file("dir/short/tekken.json");
  file("dir/empty/config.json");
  EXPECT_EQ(found("org/name"), "dir/org/name");
  EXPECT_EQ(found("/models/org/name"), "dir/org/name");
  EXPECT_EQ(found("other/short"), "dir/short");
  EXPECT_EQ(found("empty"), "");
  EXPECT_EQ(found("nobody/knows"), "");
}

TEST_F(Folders, OfACacheAreTheRevisionThatMainNames) {
  file("hub/models--org--name/snapshots/aaa/tokenizer.json");
  file("hub/models--org--name/snapshots/bbb/tokenizer.json");
  file("hub/models--org--name/refs/main", "aaa");
  EXPECT_EQ(found("org/name"), "hub/models--org--name/snapshots/aaa");
  file("hub/models--org--name/refs/main", "ccc");
  fs::last_write_time(root_ / "hub/models--org--name/snapshots/aaa", fs::file_time_type::clock::now());
  fs::last_write_time(root_ / "hub/models--org--name/snapshots/bbb",
                      fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(found("org/name"), "hub/models--org--name/snapshots/bbb");
}

TEST_F(Folders, AreNeverOutsideThePlaces) {
  file("tokenizer.json");
  file("dir/x/y.txt");
  file("hub/models--x/refs/main", "../../..");
  for (auto const* id : {"..", "x/..", "x/../..", "", "/", "x/../../"}) EXPECT_EQ(found(id), "") << id;
  EXPECT_FALSE(find_folder({}, "org/name"));
}

}  // namespace
}  // namespace kvgate::tokens
