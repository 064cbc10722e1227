#include "text/spec/load.hpp"

#include <fstream>

#include "text/spec/components.hpp"
#include "text/spec/model.hpp"

namespace kvgate::text {
namespace {

namespace ondemand = simdjson::ondemand;

/// The text of a value: of lists and objects all of it, of anything else its token.
std::string_view text_of(ondemand::value value) {
  switch (value.type()) {
    case ondemand::json_type::array:
      return ondemand::array(value.get_array()).raw_json();
    case ondemand::json_type::object:
      return ondemand::object(value.get_object()).raw_json();
    default:
      return value.raw_json_token();
  }
}

spec::Slices slices_of(std::string_view json, spec::ModelParser& with) {
  spec::Slices slices;
  auto const room = static_cast<std::size_t>(with.end_of_buffer - json.data());
  auto document = with.parser.iterate(simdjson::padded_string_view(json.data(), json.size(), room));
  for (auto field : document.get_object()) {
    std::string name(field.unescaped_key().value());
    slices.insert_or_assign(std::move(name), text_of(field.value()));
  }
  return slices;
}

class Reader {
 public:
  explicit Reader(simdjson::padded_string const& json) {
    parser_.end_of_buffer = json.data() + json.size() + simdjson::SIMDJSON_PADDING;
    members_ = slices_of(json, parser_);
  }

  TokenizerSpec read() {
    check_version();
    TokenizerSpec spec;
    if (part("added_tokens")) spec.added_tokens = spec::read_added_tokens(value_);
    if (part("normalizer")) spec::read_normalizer(value_, spec.normalizers);
    if (part("pre_tokenizer")) spec::read_pre_tokenizer(value_, spec.pre_tokenizers);
    spec.post = part("post_processor") ? spec::read_post_processor(value_) : std::vector<PostPiece>{{true, {}}};
    auto const model = members_.find("model");
    if (model == members_.end()) throw SpecError{"model: is missing"};
    spec.model = spec::read_model(slices_of(model->second, parser_), parser_);
    return spec;
  }

 private:
  /// Parses that member into value_; false if it is absent or null.
  bool part(std::string_view name) {
    auto const found = members_.find(name);
    if (found == members_.end()) return false;
    value_ = dom_.parse(found->second.data(), found->second.size());
    return !value_.is_null();
  }

  void check_version() {
    std::string_view version;
    if (part("version") && (value_.get(version) || version != "1.0")) throw SpecError{"version: must be \"1.0\""};
  }

  spec::ModelParser parser_;
  spec::Slices members_;
  simdjson::dom::parser dom_;
  spec::element value_;
};

Result<TokenizerSpec> parse(simdjson::padded_string const& json) {
  std::string problem;
  try {
    return Reader(json).read();
  } catch (SpecError const& e) {
    problem = e.what;
  } catch (simdjson::simdjson_error const& e) {
    problem = std::string("tokenizer.json: ") + e.what();
  }
  return Error(ErrorKind::bad_request, std::move(problem));
}

}  // namespace

Result<TokenizerSpec> parse_tokenizer_spec(std::string_view json) {
  return parse(simdjson::padded_string(json));
}

Result<TokenizerSpec> load_tokenizer_spec(std::filesystem::path const& path) {
  std::error_code ignored;
  std::filesystem::path const file = std::filesystem::is_directory(path, ignored) ? path / "tokenizer.json" : path;
  simdjson::padded_string json;
  if (auto const error = simdjson::padded_string::load(file.string()).get(json)) {
    return Error(ErrorKind::bad_request, file.string() + ": " + simdjson::error_message(error));
  }
  auto spec = parse(json);
  if (spec.has_error()) return Error(ErrorKind::bad_request, file.string() + ": " + spec.error().message);
  return spec;
}

}  // namespace kvgate::text
