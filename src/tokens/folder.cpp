#include "tokens/folder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

namespace kvgate::tokens {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTokenizerFiles{"tokenizer.json", "tekken.json"};

bool has_tokenizer(fs::path const& folder) {
  std::error_code error;
  return std::ranges::any_of(kTokenizerFiles, [&](char const* file) { return fs::is_regular_file(folder / file, error); });
}

/// The parts of an id, each of which can be a folder's name and no more.
std::optional<std::vector<std::string>> parts_of(std::string_view id) {
  std::vector<std::string> parts;
  while (!id.empty()) {
    auto const end = std::min(id.find('/'), id.size());
    auto const part = id.substr(0, end);
    id.remove_prefix(std::min(end + 1, id.size()));
    if (part.empty()) continue;
    if (part == "." || part == ".." || part.find('\0') != part.npos) return std::nullopt;
    parts.emplace_back(part);
  }
  if (parts.empty()) return std::nullopt;
  return parts;
}

/// Of an id that is a path, the last two parts are the model's name on the hub.
std::string joined(std::vector<std::string> const& parts, std::size_t count, std::string_view between) {
  std::string out;
  for (auto i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i) {
    if (!out.empty()) out += between;
    out += parts[i];
  }
  return out;
}

std::optional<std::string> in_dir(fs::path const& dir, std::vector<std::string> const& parts) {
  for (auto const count : {parts.size(), std::size_t{2}, std::size_t{1}}) {
    auto const folder = dir / joined(parts, count, "/");
    if (has_tokenizer(folder)) return folder.string();
  }
  return std::nullopt;
}

std::optional<std::string> in_cache(fs::path const& cache, std::vector<std::string> const& parts) {
  auto const repository = cache / ("models--" + joined(parts, 2, "--"));
  std::string main;
  std::ifstream(repository / "refs" / "main") >> main;
  if (parts_of(main) && has_tokenizer(repository / "snapshots" / main))
    return (repository / "snapshots" / main).string();
  std::error_code error;
  std::optional<fs::path> newest;
  for (auto const& each : fs::directory_iterator(repository / "snapshots", error)) {
    if (!has_tokenizer(each.path())) continue;
    if (!newest || each.last_write_time(error) > fs::last_write_time(*newest, error)) newest = each.path();
  }
  return newest ? std::optional(newest->string()) : std::nullopt;
}

}  // namespace

std::optional<std::string> find_folder(Places const& places, std::string_view model_id) {
  auto const parts = parts_of(model_id);
  if (!parts) return std::nullopt;
  std::optional<std::string> found;
  if (!places.dir.empty()) found = in_dir(places.dir, *parts);
  if (!found && !places.hf_cache.empty()) found = in_cache(places.hf_cache, *parts);
  return found;
}

}  // namespace kvgate::tokens
