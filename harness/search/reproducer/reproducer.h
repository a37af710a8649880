// SPDX-License-Identifier: Apache-2.0
// Reproducer: a case and its verdict as text, to be read, edited, and replayed event for event.
//
//     afterlife reproducer 1
//     path argpack
//     variant borrow
//     config backend=cuda_pool gil=on
//     device sim
//     tasks script mutator
//     script:3 op set_arg_argpack
//     script:3 argument[1] 2
//     script:3 schedule[4] mutator
//     finalize:0 of ArgPack:1 of script:2 order 1
//     fault use_after_free ArgPack born:new_argpack died:delete_argpack used:launch
//     trace 00c0ffee00c0ffee
//     end
//
// A choice is an activation, a site ([n] is the number of earlier ones there), and a value. An
// activation is an op slot, "task:slot" (tasks by the names above, or by number), or a chain of
// causes, "kind:nth of ... of task:slot"; "start" is the code before the tasks, and 0x... a bare
// name. A value is an op, a number, or a thing: a chain of causes, or the label of a task. A number
// sign starts a comment. tasks, fault and trace may be left out: without them the file is a
// program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/run/run.h"

namespace harness {

/// The scenarios and devices that a reproducer may name.
struct Catalog {
  std::span<const Scenario* const> scenarios = tables::scenarios();
  std::span<const DeviceInfo* const> devices = tables::devices();
};

struct Reproducer {
  /// The origin of a derived name: the `nth` thing of `kind` that `parent` caused.
  struct Cause {
    Name name;
    Name parent;
    std::string kind;
    std::uint32_t nth;
  };

  Case the_case;
  std::vector<std::string> tasks;  ///< The names of the driver's tasks; empty if unknown.
  std::vector<Cause> causes;       ///< The causes of the tape's names; a cause follows its parent.
  /// Signatures in the order in which they were found. In a file, the signature of interest may
  /// come first.
  std::vector<std::string> faults;
  std::uint64_t trace = 0;  ///< The trace hash of the run; 0 if unknown.
};

/// Describes the last run of `runner`, which ran `the_case`, with the tape that it recorded.
Reproducer describe(const Runner& runner, const Outcome& outcome, Case the_case);

/// Returns the text of a file; parse_reproducer() reads it.
std::string to_string(const Reproducer& reproducer);

/// Returns one choice in the words of `reproducer`: "script:3 op set_arg_argpack".
std::string to_string(const Reproducer& reproducer, const Decision& decision);

/// The parts of a choice in words: its activation and its value.
struct DecisionWords {
  std::string who;
  std::string answer;
};
/// Returns the activation and the value of `decision` in words.
DecisionWords in_words(const Reproducer& reproducer, const Decision& decision);

/// Parses the text of a file. Errors: std::runtime_error with one line, "file:line: what is wrong,
/// and what is expected".
Reproducer parse_reproducer(std::string_view text, std::string_view file,
                            const Catalog& catalog = {});

/// Reads and parses a file. Refuses one that is too large without reading it.
Reproducer read_reproducer(const std::string& file, const Catalog& catalog = {});

/// File name extension of a reproducer. A file with it is never treated as anything else.
inline constexpr std::string_view kReproducerEnding = ".repro";

/// Returns whether the text is JSON, like a finding of `afterlife run`, which contains a command.
/// Such a file is not a reproducer, whatever its name is.
bool is_finding_of_run(std::string_view text);

/// Returns the text of a file that may be a reproducer, without parsing it.
std::string read_reproducer_text(const std::string& file);

/// Writes the file completely or not at all. Errors: std::runtime_error with one line.
void write_reproducer(const std::string& file, const Reproducer& reproducer);

/// Returns `text` with the comments of `before`, another text of the same reproducer. Each comment
/// stays with its line; those whose line is gone are placed below the first line.
std::string keep_comments(std::string_view before, std::string_view text);

}  // namespace harness
