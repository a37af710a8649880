// SPDX-License-Identifier: Apache-2.0
// Keeps the exit code of the verdict when ThreadSanitizer reports a data race: its report is
// printed in addition. This is a hook of ThreadSanitizer's run time; in other builds it is not
// called.
namespace __tsan {

__attribute__((used)) bool OnFinalize(bool) { return false; }

}  // namespace __tsan
