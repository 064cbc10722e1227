#include "text/spec/components.hpp"

namespace kvgate::text::spec {
namespace {

/// One step of a post-processor: what a sequence becomes.
using Template = std::vector<PostPiece>;

PostPiece sequence_piece() {
  return {true, {}};
}
PostPiece token_piece(std::uint32_t id) {
  return {false, {id}};
}

/// `["[CLS]", 101]`
std::uint32_t read_pair(object const& in, std::string_view name, std::string_view component) {
  std::string const where = std::string(component) + ": \"" + std::string(name) + "\"";
  auto const pair = as_array(required(in, name, component), where);
  std::string_view text;
  if (pair.size() != 2 || pair.at(0).get(text)) throw SpecError{where + " must be [token, id]"};
  return get_id(pair.at(1).value(), name, component);
}

Template read_bert(object const& in, std::string_view type) {
  std::uint32_t const sep = read_pair(in, "sep", type);
  std::uint32_t const cls = read_pair(in, "cls", type);
  if (type == "RobertaProcessing") {
    get_bool(in, "trim_offsets", type);
    get_bool(in, "add_prefix_space", type);
  }
  return {token_piece(cls), sequence_piece(), token_piece(sep)};
}

PostPiece read_special(object const& in, object const& specials) {
  constexpr std::string_view kName = "TemplateProcessing";
  std::string const name = get_string(in, "id", kName);
  element value;
  if (!find(specials, name, value)) {
    throw SpecError{"TemplateProcessing: special token " + in_quotes(name) + " is not among its special_tokens"};
  }
  PostPiece piece;
  object const special = as_object(value, "TemplateProcessing: special_tokens");
  for (element const& id : as_array(required(special, "ids", kName), "TemplateProcessing: \"ids\"")) {
    piece.ids.push_back(get_id(id, "ids", kName));
  }
  return piece;
}

PostPiece read_piece(element const& value, object const& specials) {
  object const in = as_object(value, "TemplateProcessing: each piece");
  element inner;
  if (find(in, "SpecialToken", inner)) return read_special(as_object(inner, "SpecialToken"), specials);
  if (!find(in, "Sequence", inner)) throw SpecError{"TemplateProcessing: a piece is neither Sequence nor SpecialToken"};
  std::string const which = get_string(as_object(inner, "Sequence"), "id", "TemplateProcessing");
  if (which != "A") throw SpecError{"TemplateProcessing: \"single\" uses sequence " + in_quotes(which)};
  return sequence_piece();
}

Template read_template(object const& in) {
  constexpr std::string_view kName = "TemplateProcessing";
  object const specials = as_object(required(in, "special_tokens", kName), "TemplateProcessing: \"special_tokens\"");
  Template pieces;
  for (element const& piece : as_array(required(in, "single", kName), "TemplateProcessing: \"single\"")) {
    pieces.push_back(read_piece(piece, specials));
  }
  return pieces;
}

/// `outer` applied to what came before.
Template around(Template const& inner, Template const& outer) {
  Template result;
  for (PostPiece const& piece : outer) {
    if (!piece.is_sequence) result.push_back(piece);
    if (piece.is_sequence) result.insert(result.end(), inner.begin(), inner.end());
  }
  return result;
}

void apply(element const& value, int depth, Template& so_far, bool& closed) {
  object const in = as_object(value, "post_processor");
  std::string_view const type = component_type(in, "post_processor", depth);
  if (type == "ByteLevel") return;  // moves offsets only
  if (type == "Sequence") {
    for (element const& member : as_array(required(in, "processors", "post_processor Sequence"), "processors")) {
      apply(member, depth + 1, so_far, closed);
    }
    return;
  }
  // After a template the library holds as many sequences as the template has pieces, and treats them as a batch.
  if (closed) throw SpecError{"post_processor: " + in_quotes(type) + " after TemplateProcessing is not supported"};
  closed = type == "TemplateProcessing";
  if (type == "TemplateProcessing") {
    so_far = around(so_far, read_template(in));
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    so_far = around(so_far, read_bert(in, type));
  } else {
    throw SpecError{"post_processor: type " + in_quotes(type) + " is not supported"};
  }
}

}  // namespace

std::vector<PostPiece> read_post_processor(element const& value) {
  Template result{sequence_piece()};
  bool closed = false;
  if (!value.is_null()) apply(value, 0, result, closed);
  return result;
}

}  // namespace kvgate::text::spec
