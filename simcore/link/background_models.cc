// SPDX-License-Identifier: MIT
//
// The backgrounds that people can ask for. Of each its header has the parameters, a table of them and a function that
// makes the model.
#include "simcore/link/background.h"
#include "simcore/link/constant_background.h"
#include "simcore/link/on_off_background.h"
#include "simcore/link/session_background.h"
#include "simcore/link/tcp_background.h"
#include "simcore/options/option_table.h"

namespace simcore {

const OptionFamily<BackgroundModel>& background_models() {
  using M = BackgroundModel;
  static const OptionFamily<M> family(
      "background", "model",
      {
          model<M>(ConstantBackground::Config::options(), constant_background),
          model<M>(OnOffBackground::Config::options(), on_off_background),
          model<M>(SessionBackground::Config::options(), session_background),
          model<M>(TcpBackground::Config::options(), tcp_background),
      });
  return family;
}

}  // namespace simcore
