#include "text/spec/model.hpp"

#include "text/spec/json.hpp"

namespace kvgate::text::spec {
namespace {

namespace ondemand = simdjson::ondemand;

// ---- small members

/// A scalar member, parsed alone; nullopt where it is absent or null.
std::optional<element> scalar(Slices const& members, std::string_view name, simdjson::dom::parser& parser) {
  auto const found = members.find(name);
  if (found == members.end()) return std::nullopt;
  element const value = parser.parse(found->second.data(), found->second.size());
  return value.is_null() ? std::nullopt : std::optional<element>(value);
}

class Members {
 public:
  Members(Slices const& slices, std::string_view model) : slices_(slices), model_(model) {}

  bool has(std::string_view name) const { return slices_.find(name) != slices_.end(); }
  std::optional<std::string> text(std::string_view name) {
    auto const value = scalar(slices_, name, parser_);
    std::string_view result;
    if (!value) return std::nullopt;
    if (value->get(result)) fail(name, "must be a string");
    return std::string(result);
  }
  bool flag(std::string_view name) {
    auto const value = scalar(slices_, name, parser_);
    bool result = false;
    if (value && value->get(result)) fail(name, "must be true or false");
    return result;
  }
  std::optional<std::uint64_t> number(std::string_view name) {
    auto const value = scalar(slices_, name, parser_);
    if (!value) return std::nullopt;
    return get_unsigned(*value, name, model_);
  }
  bool is_zero_or_absent(std::string_view name) {
    auto const value = scalar(slices_, name, parser_);
    double number = 0;
    return !value || (!value->get(number) && number == 0);
  }
  std::string needed_text(std::string_view name) {
    auto value = text(name);
    if (!value) fail(name, "is missing");
    return std::move(*value);
  }
  [[noreturn]] void fail(std::string_view name, std::string_view what) const {
    throw SpecError{std::string(model_) + ": \"" + std::string(name) + "\" " + std::string(what)};
  }

 private:
  Slices const& slices_;
  std::string_view model_;
  simdjson::dom::parser parser_;
};

// ---- vocabulary

simdjson::padded_string_view slice(Slices const& members, std::string_view name, ModelParser const& with,
                                   Members const& names) {
  auto const found = members.find(name);
  if (found == members.end()) names.fail(name, "is missing");
  std::string_view const text = found->second;
  auto const room = static_cast<std::size_t>(with.end_of_buffer - text.data());
  return simdjson::padded_string_view(text.data(), text.size(), room);
}

constexpr std::size_t kUsualBytesPerToken = 16;

void read_vocabulary(simdjson::padded_string_view json, ondemand::parser& parser, ModelSpec& model) {
  model.vocabulary.reserve(json.size() / kUsualBytesPerToken);
  auto document = parser.iterate(json);
  for (auto field : document.get_object()) {
    std::string_view const token = field.unescaped_key();
    std::uint64_t id = 0;
    if (field.value().get_uint64().get(id) || id > 0xffffffffu) {
      throw SpecError{"model: the id of " + in_quotes(token) + " is not a whole number of 32 bits"};
    }
    if (!model.vocabulary.insert(token, static_cast<std::uint32_t>(id))) throw SpecError{"model: vocabulary too large"};
  }
  model.vocabulary.shrink();
  model.vocabulary_size = model.vocabulary.size();
}

void read_scores(simdjson::padded_string_view json, ondemand::parser& parser, ModelSpec& model) {
  model.vocabulary.reserve(json.size() / (2 * kUsualBytesPerToken));
  auto document = parser.iterate(json);
  for (auto entry : document.get_array()) {
    std::size_t place = 0;
    for (auto part : entry.get_array()) {
      if (place == 0) {
        std::string_view const token = part.get_string();
        auto const id = static_cast<std::uint32_t>(model.scores.size());
        if (!model.vocabulary.insert(token, id)) throw SpecError{"Unigram: vocabulary too large"};
      } else if (place == 1) {
        std::string_view number = part.raw_json_token();
        model.scores.push_back(number_like_library(number));
      }
      ++place;
    }
    if (place != 2) throw SpecError{"Unigram: each member of \"vocab\" must be [token, score]"};
  }
  model.vocabulary.shrink();
  model.scores.shrink_to_fit();
  model.vocabulary_size = model.scores.size();
}

// ---- merges

class MergeReader {
 public:
  explicit MergeReader(ModelSpec& model) : model_(model) {}

  void read(simdjson::padded_string_view json, ondemand::parser& parser) {
    auto document = parser.iterate(json);
    for (auto entry : document.get_array()) {
      ondemand::value value = entry.value();
      bool const is_line = value.type() == ondemand::json_type::string;
      if (first_) lines_ = is_line;
      first_ = false;
      if (lines_ != is_line) throw SpecError{"BPE: \"merges\" mixes strings and pairs"};
      if (is_line) {
        add_line(value.get_string());
      } else {
        add_pair(value);
      }
    }
    model_.merges.shrink_to_fit();
  }

 private:
  void add_line(std::string_view line) {
    if (line.starts_with("#version")) return;
    std::size_t const space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
      throw SpecError{"BPE: merge " + in_quotes(line) + " is not two tokens"};
    }
    add(line.substr(0, space), line.substr(space + 1));
  }

  void add_pair(ondemand::value& value) {
    std::string_view parts[2];
    std::size_t count = 0;
    for (auto part : value.get_array()) {
      if (count < 2) parts[count] = part.get_string();
      ++count;
    }
    if (count != 2) throw SpecError{"BPE: a merge is not two tokens"};
    add(parts[0], parts[1]);
  }

  void add(std::string_view left, std::string_view right) {
    // As the library does it: so many bytes are cut off, whatever they are.
    std::size_t const prefix = model_.continuing_subword_prefix.size();
    if (right.size() < prefix) throw SpecError{"BPE: merge token " + in_quotes(right) + " is shorter than the prefix"};
    merged_.assign(left).append(right.substr(prefix));
    model_.merges.push_back({id_of(left), id_of(right), id_of(merged_)});
  }

  std::uint32_t id_of(std::string_view token) const {
    auto const id = model_.vocabulary.find(token);
    if (!id) throw SpecError{"BPE: merge token " + in_quotes(token) + " is not in the vocabulary"};
    return *id;
  }

  ModelSpec& model_;
  std::string merged_;
  bool first_ = true;
  bool lines_ = false;
};

// ---- models

ModelSpec read_bpe(Slices const& slices, ModelParser& with) {
  Members members(slices, "BPE");
  ModelSpec model;
  model.kind = ModelKind::bpe;
  if (!members.is_zero_or_absent("dropout")) members.fail("dropout", "is not supported: ids would be random");
  model.unk_token = members.text("unk_token");
  model.continuing_subword_prefix = members.text("continuing_subword_prefix").value_or("");
  model.end_of_word_suffix = members.text("end_of_word_suffix").value_or("");
  model.fuse_unk = members.flag("fuse_unk");
  model.byte_fallback = members.flag("byte_fallback");
  model.ignore_merges = members.flag("ignore_merges");
  read_vocabulary(slice(slices, "vocab", with, members), with.parser, model);
  MergeReader(model).read(slice(slices, "merges", with, members), with.parser);
  return model;
}

ModelSpec read_word_piece(Slices const& slices, ModelParser& with) {
  Members members(slices, "WordPiece");
  ModelSpec model;
  model.kind = ModelKind::word_piece;
  model.unk_token = members.needed_text("unk_token");
  model.continuing_subword_prefix = members.needed_text("continuing_subword_prefix");
  auto const most = members.number("max_input_chars_per_word");
  if (!most) members.fail("max_input_chars_per_word", "is missing");
  model.max_input_chars_per_word = *most;
  read_vocabulary(slice(slices, "vocab", with, members), with.parser, model);
  return model;
}

ModelSpec read_word_level(Slices const& slices, ModelParser& with) {
  Members members(slices, "WordLevel");
  ModelSpec model;
  model.kind = ModelKind::word_level;
  model.unk_token = members.needed_text("unk_token");
  read_vocabulary(slice(slices, "vocab", with, members), with.parser, model);
  return model;
}

ModelSpec read_unigram(Slices const& slices, ModelParser& with) {
  Members members(slices, "Unigram");
  ModelSpec model;
  model.kind = ModelKind::unigram;
  model.byte_fallback = members.flag("byte_fallback");
  read_scores(slice(slices, "vocab", with, members), with.parser, model);
  auto const unk = members.number("unk_id");
  if (unk && *unk >= model.scores.size()) members.fail("unk_id", "is not in the vocabulary");
  if (unk) model.unk_id = static_cast<std::uint32_t>(*unk);
  return model;
}

/// Files of before there were types: the first model whose members are all there.
std::string type_by_members(Members const& members) {
  if (members.has("merges")) return "BPE";
  if (members.has("max_input_chars_per_word")) return "WordPiece";
  return members.has("unk_token") ? "WordLevel" : "Unigram";
}

}  // namespace

ModelSpec read_model(Slices const& slices, ModelParser& with) {
  Members members(slices, "model");
  std::string const type = members.text("type").value_or(type_by_members(members));
  if (type == "BPE") return read_bpe(slices, with);
  if (type == "WordPiece") return read_word_piece(slices, with);
  if (type == "WordLevel") return read_word_level(slices, with);
  if (type == "Unigram") return read_unigram(slices, with);
  throw SpecError{"model: type " + in_quotes(type) + " is not supported"};
}

}  // namespace kvgate::text::spec
