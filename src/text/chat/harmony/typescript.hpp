// Tools as the model is shown them: a namespace of TypeScript types.
#pragma once

#include <span>
#include <string>

#include "text/chat/typed_dict.hpp"

namespace kvgate::text::harmony {

/// One function: a dict with name, description and parameters (a JSON schema, or None).
struct FunctionTool {
  std::string_view name;
  std::string_view description;
  Value parameters;
};

/// The section "# Tools" of a developer message.
std::string tools_section(std::span<FunctionTool const> tools);

/// Roughly the bytes of indentation that the types of these tools take: depth costs, and clients choose it.
std::size_t indentation_of(std::span<FunctionTool const> tools);

/// A JSON schema as a TypeScript type.
std::string typescript_type(Value const& schema, std::string_view indent);

}  // namespace kvgate::text::harmony
