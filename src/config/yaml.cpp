#include "config/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

namespace kvgate::config {
namespace {

constexpr std::size_t max_unfolded = 16 * 1024 * 1024;
constexpr int max_depth = 32;
constexpr std::size_t node_cost = sizeof(Node);  // an anchor of empty nodes must cost something too

/// Copies yaml-cpp's graph, in which aliases share nodes and may form cycles, into a tree of bounded size.
class Unfolding {
 public:
  Node copy(YAML::Node const& from, Place const& place, int depth) {
    spent_ += node_cost + (from.IsScalar() ? from.Scalar().size() : 0);
    if (spent_ > max_unfolded || depth > max_depth) {
      fail(place, "is too large or nested too deeply", "32 levels and 16 MiB with all anchors unfolded");
    }
    // "?" is a plain value and "!" a quoted one; another tag would change the meaning, and silently would not here.
    if (std::string const& tag = from.Tag(); !tag.empty() && tag != "?" && tag != "!") {
      fail(place, "has the tag " + tag, "values without tags");
    }
    Node to;
    to.line = place.line;
    if (from.IsScalar()) {
      to.kind = Node::Kind::scalar;
      to.text = from.Scalar();
    } else if (from.IsSequence()) {
      copy_list(from, to, place, depth);
    } else if (from.IsMap()) {
      copy_map(from, to, place, depth);
    }
    return to;
  }

 private:
  static int line_of(YAML::Node const& node, int otherwise) {
    // A list or map is found by its key: its own mark is the line after.
    return node.IsScalar() && !node.Mark().is_null() ? node.Mark().line + 1 : otherwise;
  }

  void copy_list(YAML::Node const& from, Node& to, Place const& place, int depth) {
    to.kind = Node::Kind::list;
    for (YAML::Node const& item : from) {
      Place here = place.element(to.items.size(), {});
      if (!item.Mark().is_null()) here.line = item.Mark().line + 1;
      to.items.push_back(copy(item, here, depth + 1));
    }
  }

  void copy_map(YAML::Node const& from, Node& to, Place const& place, int depth) {
    to.kind = Node::Kind::map;
    std::unordered_map<std::string, int> first_lines;  // yaml-cpp takes a key twice without a word
    for (auto const& item : from) {
      Place here = place;
      here.line = item.first.Mark().is_null() ? place.line : item.first.Mark().line + 1;
      if (!item.first.IsScalar()) fail(here, "has a key that is " + std::string(kind_of(item.first)), "names as keys");
      std::string const& name = item.first.Scalar();
      here = here.member({.key = name});
      auto const [first, is_new] = first_lines.emplace(name, here.line);
      if (!is_new) fail(here, "is given twice, first on line " + std::to_string(first->second), "each key once");
      here.line = line_of(item.second, here.line);
      to.items.push_back(copy(item.second, here, depth + 1).named(name));
    }
  }

  static std::string_view kind_of(YAML::Node const& node) {
    return node.IsSequence() ? "a list" : node.IsMap() ? "a map" : "empty";
  }

  std::size_t spent_ = 0;
};

/// Passes over a document.
struct Skip final : YAML::EventHandler {
  void OnDocumentStart(YAML::Mark const&) override {}
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const&, YAML::anchor_t) override {}
  void OnAlias(YAML::Mark const&, YAML::anchor_t) override {}
  void OnScalar(YAML::Mark const&, std::string const&, YAML::anchor_t, std::string const&) override {}
  void OnSequenceStart(YAML::Mark const&, std::string const&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(YAML::Mark const&, std::string const&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// Whether anything follows the first document. YAML::LoadAll would tell, but for some texts (a `,` at the start is
/// one) it finds the same empty document over and over until memory is gone.
bool has_more_than_one_document(std::string const& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  Skip skip;
  return parser.HandleNextDocument(skip) && parser.HandleNextDocument(skip);
}

void emit(YAML::Emitter& out, Node const& node) {
  switch (node.kind) {
    case Node::Kind::null:
      out << YAML::Null;
      return;
    case Node::Kind::scalar:
      out << node.text;
      return;
    case Node::Kind::list:
      // Lists of plain values read best on one line.
      if (std::all_of(node.items.begin(), node.items.end(), [](Node const& i) { return i.items.empty(); })) {
        out << YAML::Flow;
      }
      out << YAML::BeginSeq;
      for (Node const& item : node.items) emit(out, item);
      out << YAML::EndSeq;
      return;
    case Node::Kind::map:
      if (node.items.empty()) out << YAML::Flow;
      out << YAML::BeginMap;
      for (Node const& item : node.items) {
        out << YAML::Key << item.key << YAML::Value;
        emit(out, item);
      }
      out << YAML::EndMap;
      return;
  }
}

}  // namespace

Node parse_yaml(std::string const& text, std::string const& file) {
  if (std::size_t const nul = text.find('\0'); nul != std::string::npos) {
    int const line =
        1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n'));
    fail({file, line, "syntax"}, "has a NUL byte", "UTF-8 text");  // yaml-cpp would take it for the end of the file
  }
  try {
    if (has_more_than_one_document(text)) {
      fail({file, 1, "document"}, "is followed by something that is no part of it", "one YAML document");
    }
    YAML::Node const document = YAML::Load(text);
    Place const root{file, std::max(1, document.Mark().line + 1), ""};
    return Unfolding().copy(document, root, 0);
  } catch (YAML::Exception const& error) {
    fail({file, error.mark.is_null() ? 1 : error.mark.line + 1, "syntax"}, error.msg, "YAML, indented by spaces");
  }
}

std::string to_yaml(Node const& node) {
  YAML::Emitter out;
  out.SetNullFormat(YAML::LowerNull);
  emit(out, node);
  return std::string(out.c_str()) + "\n";
}

std::string to_flow_yaml(Node const& node) {
  YAML::Emitter out;
  out.SetNullFormat(YAML::LowerNull);
  out.SetSeqFormat(YAML::Flow);
  out.SetMapFormat(YAML::Flow);
  emit(out, node);
  return out.c_str();
}

}  // namespace kvgate::config
