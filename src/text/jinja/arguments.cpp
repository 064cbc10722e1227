#include "text/jinja/arguments.hpp"

#include <algorithm>
#include <string>

#include "text/jinja/thrown.hpp"

namespace kvgate::jinja {

Bound::Bound(Arguments const& arguments, Signature const& signature) {
  std::string const name(signature.function);
  if (arguments.positional.size() > signature.names.size()) {
    type_error(name + "() takes at most " + std::to_string(signature.names.size()) + " arguments (" +
               std::to_string(arguments.positional.size()) + " given)");
  }
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) values_[i] = &arguments.positional[i];
  for (Keyword const& keyword : arguments.keywords) {
    auto const at = std::find(signature.names.begin(), signature.names.end(), keyword.name);
    auto const index = static_cast<std::size_t>(at - signature.names.begin());
    if (at == signature.names.end() || index < signature.positional_only) {
      type_error(name + "() got an unexpected keyword argument " + quoted(keyword.name));
    }
    if (values_[index]) type_error(name + "() got multiple values for argument " + quoted(keyword.name));
    values_[index] = &keyword.value;
  }
  for (std::size_t i = 0; i < signature.required; ++i) {
    if (!values_[i]) type_error(name + "() missing required argument: " + quoted(signature.names.begin()[i]));
  }
}

}  // namespace kvgate::jinja
