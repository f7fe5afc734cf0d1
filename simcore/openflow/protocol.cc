// SPDX-License-Identifier: MIT
#include "simcore/openflow/protocol.h"

namespace simcore::openflow {

ErrorCode in_version_10(ErrorCode error) {
  constexpr ErrorCode kPermission{1, 5};
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
