#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/tokenizer/regex.hpp"

#include <pcre2.h>

#include <new>

#include "text/tokenizer/pattern_syntax.hpp"

namespace kvgate::text {
namespace {

constexpr std::uint32_t kMostSteps = 20'000'000;  // about 0.1 s
constexpr std::size_t kFirstStack = 32 * 1024;
constexpr std::size_t kLargestStack = 16 * 1024 * 1024;

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* p) const noexcept { Free(p); }
};
template <class T, void (*Free)(T*)>
using Handle = std::unique_ptr<T, Freed<T, Free>>;

template <class T>
T* checked(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

std::string error_text(int code) {
  unsigned char buffer[256] = {};
  pcre2_get_error_message(code, buffer, sizeof buffer);
  return reinterpret_cast<char const*>(buffer);
}

}  // namespace

struct RegexScratch::State {
  Handle<pcre2_match_data, pcre2_match_data_free> data{checked(pcre2_match_data_create(1, nullptr))};
  Handle<pcre2_match_context, pcre2_match_context_free> context{checked(pcre2_match_context_create(nullptr))};
  Handle<pcre2_jit_stack, pcre2_jit_stack_free> stack{
      checked(pcre2_jit_stack_create(kFirstStack, kLargestStack, nullptr))};
};

RegexScratch::RegexScratch() : state_(std::make_unique<State>()) {
  pcre2_set_match_limit(state_->context.get(), kMostSteps);
  pcre2_jit_stack_assign(state_->context.get(), nullptr, state_->stack.get());
}

RegexScratch::~RegexScratch() = default;

struct Regex::Code {
  Handle<pcre2_code, pcre2_code_free> compiled;
};

Result<Regex> Regex::make(std::string_view oniguruma) {
  auto const pattern = to_pcre_pattern(oniguruma);
  if (pattern.has_error()) return pattern.error();
  Handle<pcre2_compile_context, pcre2_compile_context_free> context(checked(pcre2_compile_context_create(nullptr)));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  auto code = std::make_unique<Code>();
  code->compiled.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern->data()), pattern->size(), PCRE2_UTF, &error,
                                     &offset, context.get()));
  if (!code->compiled) return Error(ErrorKind::bad_request, "the pattern is not supported: " + error_text(error));
  // Without JIT (a kernel may forbid it) matching is slower but the same.
  pcre2_jit_compile(code->compiled.get(), PCRE2_JIT_COMPLETE);
  return Regex(std::move(code));
}

Regex::Regex(std::unique_ptr<Code> code) noexcept : code_(std::move(code)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Regex::Found Regex::find(std::string_view text, std::size_t from, RegexScratch& scratch, Match& match) const {
  auto& state = *scratch.state_;
  int const result = pcre2_match(code_->compiled.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                                 PCRE2_NO_UTF_CHECK, state.data.get(), state.context.get());
  if (result == PCRE2_ERROR_NOMATCH) return Found::no;
  if (result < 0) return Found::too_hard;
  PCRE2_SIZE const* const ends = pcre2_get_ovector_pointer(state.data.get());
  match = {ends[0], ends[1]};
  return Found::yes;
}

}  // namespace kvgate::text
