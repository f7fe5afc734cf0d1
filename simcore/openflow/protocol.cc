// SPDX-License-Identifier: MIT
#include "simcore/openflow/protocol.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace simcore::openflow {

const ErrorCode* nicira_error10(ErrorCode error) {
  static constexpr struct {
    ErrorCode of;
    ErrorCode told;
  } kTold[] = {
      {error::kBadTable, {1, 512}},    {error::kRoleBad, {1, 513}},   {error::kBadPort, {1, 514}},
      {error::kConfigFlags, {1, 521}}, {error::kFlowFlags, {3, 258}},
  };
  const auto* const found = std::ranges::find(kTold, error, &std::remove_cvref_t<decltype(kTold[0])>::of);
  return found == std::end(kTold) ? nullptr : &found->told;
}

ErrorCode in_version_10(ErrorCode error) {
  using error::kPermission;
  if (nicira_error10(error) != nullptr) return kNiciraError;
  switch (error.type) {
    case 0:
      return error;
    case 1:
      return error.code <= 8 ? error : kPermission;
    case 2:
      return error.code <= 8 ? error : ErrorCode{2, 5};
    case 5:
      switch (error.code) {
        case 1:
          return {3, 0};
        case 3:
          return {3, 1};
        case 4:
          return {3, 2};
        case 5:
          return {3, 3};
        case 6:
          return {3, 4};
        default:
          return {3, 5};
      }
    case 7:
      return {4, error.code <= 1 ? error.code : std::uint16_t{0}};
    case 9:
      return {5, error.code};
    default:
      return kPermission;
  }
}

}  // namespace simcore::openflow
