// Party functions: the functions of the program in which a fault happens. They tell two bugs of one
// signature from each other, and stay the same when lines move.
#pragma once

#include <string>

#include "harness/client/report.h"

namespace harness::client {

/// Returns file and function of each party in the user's code, in the order of kParties, each once:
/// "encode.py:encode, encode.py:free". Empty where no place was noted.
std::string functions_of(const ToldFault& fault);

}  // namespace harness::client
