// SPDX-License-Identifier: MIT
//
// Writers of results. All write text in UTF-8 with "\n"; the caller opens the stream and checks it afterwards.
//
//   csv         one table for each vector, one for all scalars (RFC 4180: quoted where needed)
//   JSON lines  one object a line, its "type" says what it is; instants are integers in nanoseconds
//   OMNeT++     result files of version 3, read by its IDE and by opp_scavetool: .sca and .vec
#pragma once

#include <ostream>

#include "simcore/stats/results.h"

namespace simcore {

void write_scalars_csv(std::ostream& out, const Results& results);           // run,element,name,value
void write_vector_csv(std::ostream& out, const OutputVector& vector);        // time_ns,column,...
void write_histogram_csv(std::ostream& out, const HistogramResult& result);  // lower_bound,weight
void write_json_lines(std::ostream& out, const Results& results);
void write_omnetpp_sca(std::ostream& out, const Results& results);
void write_omnetpp_vec(std::ostream& out,
                       const Results& results);  // one vector for each column: "name:column"

}  // namespace simcore
