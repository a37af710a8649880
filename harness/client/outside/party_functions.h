// SPDX-License-Identifier: Apache-2.0
// Party functions: the functions of the program in which a fault happens. They distinguish two bugs
// with one signature, and do not change when lines move.
#pragma once

#include <string>

#include "harness/client/border/report.h"

namespace harness::client {

/// Returns file and function of each party in the user's code, in the order of kParties, each once:
/// "encode.py:encode, encode.py:free". Empty if no place was recorded.
std::string functions_of(const ToldFault& fault);

/// Returns the functions that older versions wrote for the fault, whose headers of the C++ library
/// were the user's code. Marks and files of those versions have them.
std::string former_functions_of(const ToldFault& fault);

}  // namespace harness::client
