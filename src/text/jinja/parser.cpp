#include "text/jinja/parser.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "text/jinja/expression_parser.hpp"
#include "text/jinja/lexer.hpp"
#include "text/jinja/token_stream.hpp"

namespace kvgate::jinja {
namespace {

using EndWords = std::initializer_list<std::string_view>;

/// Statements and text. Also keeps count of how deep each function nests.
class StatementParser {
 public:
  StatementParser(std::vector<Token> tokens, Arena& arena)
      : tokens_(std::move(tokens)), arena_(arena), expressions_(tokens_, arena) {}

  ParsedTemplate run() {
    Block const body = statements_until({});
    return {body, take_function_depth()};
  }

 private:
  /// Text and statements up to "{% word", with the current token on the word; to the end of the template without words.
  Block statements_until(EndWords end_words) {
    if (++nesting_ > max_nesting) over_limit("the template nests too deep");
    std::vector<Stmt*> statements;
    while (tokens_.current().type != TokenType::end) {
      Token const& token = tokens_.next();
      if (token.type == TokenType::data) {
        make<TextStmt>(StmtKind::text, token.line, statements)->text = token.text;
      } else if (token.type == TokenType::variable_begin) {
        int const line = tokens_.line();
        make<OutputStmt>(StmtKind::output, line, statements)->value = expressions_.tuple(true);
        tokens_.expect(TokenType::variable_end, "end of print statement");
      } else {
        if (at_word(end_words)) return finish_block(statements);
        statement(statements);
        tokens_.expect(TokenType::block_end, "end of statement block");
      }
    }
    if (end_words.size() > 0) fail_at_end(end_words);
    return finish_block(statements);
  }

  Block finish_block(std::vector<Stmt*> const& statements) {
    cover_expressions();
    --nesting_;
    return expressions_.keep(statements);
  }

  void cover_expressions() { depth_ = std::max<int>(depth_, nesting_ + expressions_.take_depth()); }
  std::uint16_t take_function_depth() { return static_cast<std::uint16_t>(std::exchange(depth_, 0)); }

  bool at_word(EndWords words) const {
    Token const& token = tokens_.current();
    return token.type == TokenType::name && std::find(words.begin(), words.end(), token.text) != words.end();
  }

  [[noreturn]] void fail_at_end(EndWords words) const {
    std::string expected;
    for (std::string_view const word : words) expected.append(expected.empty() ? "" : " or ").append(quoted(word));
    syntax_error("Unexpected end of template. Jinja was looking for the following tags: " + expected + ".",
                 tokens_.line());
  }

  /// The body of a statement: "%}" first (a colon is allowed before it).
  Block body(EndWords end_words) {
    tokens_.skip_op(":");
    tokens_.expect(TokenType::block_end, "end of statement block");
    return statements_until(end_words);
  }
  /// As body(), past the end word.
  Block body_to(std::string_view end_word) {
    Block const block = body({end_word});
    tokens_.next();
    return block;
  }

  void statement(std::vector<Stmt*>& out) {
    Token const& token = tokens_.current();
    if (token.type != TokenType::name) syntax_error("tag name expected", token.line);
    std::string_view const tag = token.text;
    tokens_.next();
    if (tag == "if") return parse_if(token.line, out);
    if (tag == "for") return parse_for(token.line, out);
    if (tag == "set") return parse_set(token.line, out);
    if (tag == "macro") return parse_macro(token.line, out);
    if (tag == "call") return parse_call_block(token.line, out);
    if (tag == "filter") return parse_filter_block(token.line, out);
    if (tag == "with") return parse_with(token.line, out);
    if (tag == "print") return parse_print(token.line, out);
    if (tag == "generation") return parse_generation(token.line, out);
    if (tag == "break" || tag == "continue") return parse_loop_control(tag == "break", token.line, out);
    fail_on_tag(tag, token.line);
  }

  [[noreturn]] static void fail_on_tag(std::string_view tag, int line) {
    static constexpr std::string_view known[] = {"block", "extends", "include", "import", "from", "autoescape"};
    if (std::find(std::begin(known), std::end(known), tag) != std::end(known)) {
      unsupported("the tag " + quoted(tag) + " is not supported in chat templates", line);
    }
    syntax_error("Encountered unknown tag " + quoted(tag) + ".", line);
  }

  void parse_if(int line, std::vector<Stmt*>& out) {
    std::vector<Branch> branches;
    auto* node = make<IfStmt>(StmtKind::if_, line, out);
    while (true) {
      Expr* const test = expressions_.tuple(false);
      branches.push_back({test, body({"elif", "else", "endif"})});
      std::string_view const word = tokens_.next().text;
      if (word == "elif") continue;
      if (word == "else") node->otherwise = body_to("endif");
      break;
    }
    node->branches = expressions_.keep(branches);
  }

  void parse_for(int line, std::vector<Stmt*>& out) {
    auto* node = make<ForStmt>(StmtKind::for_, line, out);
    node->target = expressions_.target("in", false);
    if (!tokens_.skip_name("in")) syntax_error("expected token 'in', got " + quoted(describe(tokens_.current())), line);
    node->sequence = expressions_.tuple(false, "recursive");
    if (tokens_.skip_name("if")) node->test = expressions_.expression();
    node->recursive = tokens_.skip_name("recursive");
    int const outer_depth = depth_, outer_loops = loops_;
    ++loops_;
    node->body = body({"endfor", "else"});
    loops_ = outer_loops;
    if (node->recursive) loops_ = 0;  // its else is part of a function of its own, too
    if (tokens_.next().text == "else") node->otherwise = body_to("endfor");
    loops_ = outer_loops;
    node->function.depth = static_cast<std::uint16_t>(depth_);  // also counted outside, which is no less safe
    depth_ = std::max(depth_, outer_depth);
  }

  void parse_set(int line, std::vector<Stmt*>& out) {
    Target* const target = expressions_.target({}, true);
    if (tokens_.skip_op("=")) {
      auto* node = make<SetStmt>(StmtKind::set, line, out);
      node->target = target;
      node->value = expressions_.tuple(true);
      return;
    }
    auto* node = make<SetBlockStmt>(StmtKind::set_block, line, out);
    node->target = target;
    node->filter = expressions_.filters(captured(line), false);
    node->body = body_to("endset");
  }

  Expr* captured(int line) {
    Expr* node = arena_.create<Expr>();
    *node = {ExprKind::captured, 1, line};
    return node;
  }

  void parse_signature(MacroBody& macro) {
    std::vector<Parameter> parameters;
    tokens_.expect_op("(");
    while (!tokens_.current().is_op(")")) {
      if (!parameters.empty()) tokens_.expect_op(",");
      Target const* const name = expressions_.name_target();
      for (Parameter const& other : parameters) {
        if (other.name == name->name) syntax_error("duplicate argument " + quoted(name->name), name->line);
      }
      Parameter parameter{name->name, nullptr, 0, nullptr};
      if (tokens_.skip_op("=")) {
        parameter.fallback = expressions_.expression();
      } else if (!parameters.empty() && parameters.back().fallback) {
        syntax_error("non-default argument follows default argument", tokens_.line());
      }
      std::string const hint = "parameter " + quoted(name->name) + " was not provided";
      parameter.missing = arena_.create<Missing>(Missing::Why::hint, arena_.copy(hint), std::string_view());
      parameters.push_back(parameter);
    }
    tokens_.expect_op(")");
    macro.parameters = expressions_.keep(parameters);
  }

  /// Depth and loops of a function are its own.
  void parse_macro_body(MacroBody& macro, std::string_view end_word) {
    cover_expressions();
    int const outer_depth = std::exchange(depth_, 0), outer_loops = std::exchange(loops_, 0);
    macro.body = body_to(end_word);
    macro.function.depth = take_function_depth();
    depth_ = outer_depth;
    loops_ = outer_loops;
  }

  void parse_macro(int line, std::vector<Stmt*>& out) {
    auto* node = make<MacroStmt>(StmtKind::macro, line, out);
    node->macro.name = expressions_.name_target()->name;
    parse_signature(node->macro);
    parse_macro_body(node->macro, "endmacro");
  }

  void parse_call_block(int line, std::vector<Stmt*>& out) {
    auto* node = make<CallBlockStmt>(StmtKind::call_block, line, out);
    if (tokens_.current().is_op("(")) parse_signature(node->caller);
    Expr* const call = expressions_.expression();
    if (call->kind != ExprKind::call) syntax_error("expected call", line);
    node->call = static_cast<CallExpr*>(call);
    parse_macro_body(node->caller, "endcall");
  }

  void parse_filter_block(int line, std::vector<Stmt*>& out) {
    auto* node = make<FilterBlockStmt>(StmtKind::filter_block, line, out);
    node->filter = expressions_.filters(captured(line), true);
    node->body = body_to("endfilter");
  }

  void parse_with(int line, std::vector<Stmt*>& out) {
    auto* node = make<WithStmt>(StmtKind::with, line, out);
    std::vector<Target*> targets;
    std::vector<Expr*> values;
    while (tokens_.current().type != TokenType::block_end) {
      if (!targets.empty()) tokens_.expect_op(",");
      targets.push_back(expressions_.target({}, false));
      tokens_.expect_op("=");
      values.push_back(expressions_.expression());
    }
    node->targets = expressions_.keep(targets);
    node->values = expressions_.keep(values);
    node->body = body_to("endwith");
  }

  void parse_print(int line, std::vector<Stmt*>& out) {
    for (bool first = true; tokens_.current().type != TokenType::block_end; first = false) {
      if (!first) tokens_.expect_op(",");
      make<OutputStmt>(StmtKind::output, line, out)->value = expressions_.expression();
    }
  }

  // Python compiles its body to a function: loops outside cannot be left from inside.
  void parse_generation(int line, std::vector<Stmt*>& out) {
    auto* node = make<GenerationStmt>(StmtKind::generation, line, out);
    int const outer_loops = std::exchange(loops_, 0);
    node->body = body_to("endgeneration");
    loops_ = outer_loops;
  }

  void parse_loop_control(bool is_break, int line, std::vector<Stmt*>& out) {
    if (loops_ == 0) syntax_error(std::string(is_break ? "'break'" : "'continue'") + " outside loop", line);
    make<Stmt>(is_break ? StmtKind::break_ : StmtKind::continue_, line, out);
  }

  template <class T>
  T* make(StmtKind kind, int line, std::vector<Stmt*>& out) {
    T* node = new (arena_.allocate(sizeof(T))) T{};
    node->kind = kind;
    node->line = line;
    out.push_back(node);
    return node;
  }

  TokenStream tokens_;
  Arena& arena_;
  ExpressionParser expressions_;
  int nesting_ = 0;  ///< open blocks
  int depth_ = 0;    ///< of the function that is being read
  int loops_ = 0;    ///< that `break` may leave
};

}  // namespace

ParsedTemplate parse_template(std::string_view source, Arena& arena) {
  return StatementParser(tokenize(source, arena), arena).run();
}

}  // namespace kvgate::jinja
