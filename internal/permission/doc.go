// Package permission decides whether a tool call may happen: by mode, by rules, and by what a person granted. It judges
// acts, which are what a call would actually read, write, run or reach, and never the words with which a model asks for
// it.
//
// The package starts nothing and writes nothing; package kept stores its grants. What an allowed program can do is
// enforced by internal/sandbox; this package says what the sandbox must leave open ([Policy.Needs]).
//
// # From act to verdict
//
// A tool describes what it is about to do as acts (tool.Act). [Policy.Judge] splits them into parts, one for each
// command, file or address, and gives each a verdict. The strictest part decides the call, and its reason is shown. A
// command is analysed: wrappers, interpreters, xargs and find are judged by what they would run. What is not understood
// needs approval and is never allowed by itself. Tables of tool chains say which commands work on the project; in
// balanced mode these run without approval in a sandbox ([Policy.Confined]). A part is decided by the first of these
// that applies:
//
//  1. never allowed: secrets, files that steer tools or git, the running system, and what a command's table forbids: deny
//  2. a write outside [Policy.Only]: deny
//  3. a rule that denies it: deny
//  4. it cannot be undone: ask in every mode, deny in plan
//  5. a rule that asks: ask each time, unless plan denies it
//  6. not understood, or only known when it runs: ask each time
//  7. the mode allows or denies it; if it asks, a grant or a rule that allows is enough
//
// After that, a rule without a pattern for the tool itself tightens every part of the call. The modes are a ceiling:
// plan, paranoid, balanced, yolo, the strictest first. A Policy is a value: the same policy and files give the same
// decision, and deciding changes nothing. It does read the disk, to follow links and to hash what a command would
// execute.
//
// # Rules
//
// A [Rule] is a line of the settings. Of the rules that match, deny wins over ask and ask over allow, whatever their
// order. A rule that denies or asks also matches a command inside another one, whatever its path; a rule that allows
// matches only a bare program name with known arguments. The project's own rules can only tighten: those that allow are
// ignored.
//
// # Grants
//
// A [Grant] is an answer of a person, and covers exactly what was shown: this command in this folder, this file to read
// or to write, this page. If a command executes files of the project, the grant ends when their content changes. Once
// lasts for the rest of the call; session until the process ends; project is stored in the file of package kept,
// outside every project and conversation, so that going back or cloning brings no permission along. What cannot be
// undone, is not understood, reads its input from elsewhere, needs approval by a rule, or sends after untrusted text
// was read is granted once at most ([Remember]).
//
// # Untrusted text
//
// [Decision.Brings] means that a call may bring in text of strangers: a page, the output of a program that reaches the
// network, an MCP tool, or a file that came from outside. The caller that records the decision sets [Policy.Tainted]
// from then on. Then everything that sends needs approval each time, even in yolo, and neither rules that allow nor
// longer grants count. The paths of files that such a call wrote (package foreign) are stored in kept's file, too, and
// reading one taints later conversations, until a person has reviewed it. A script that was decided on as a whole keeps
// the state it had then.
//
// # The gate
//
// A [Gate] belongs to one conversation, and [Gate.Call] makes a [Pass] for one call of a tool. [Pass.Allow] judges,
// asks the person if needed, records the decision, and calls Before ahead of the first act of the call that may change
// something. Only if all of that succeeds does it return nil, and the act may happen. A decision that cannot be
// recorded is an error, too. A script is decided on as a whole before it starts, and each command again with the
// program that would run and its arguments at that time. The second decision is recorded only if it refuses, asks, or
// brings text from outside.
//
// Policy is called again for every decision, so a changed rule applies at once. Policy and Record are required. Without
// Ask, nobody can be asked: what would need approval is refused, with Nobody set. A refusal is a [*Refused], whose text
// the model is shown; any other error comes from Ask, Record or Before, and the act must not happen either.
//
// A Pass is safe for concurrent use and asks one question at a time. Two calls may ask at the same time: the Gate's
// functions must be safe for that. A Policy may be used from several goroutines as long as nobody changes it.
//
// # Who calls what
//
//   - Tools call Env.May, which is Pass.Allow, before they act, and respect Env.Hides when they read without asking ([Policy.Hides]).
//   - The engine and cmd make a Gate for a call, and wrap tools that read or talk in [Guarded], since those ask nobody.
//   - The engine calls [Gate.Insist] for hooks that want the person to be asked, whatever the rules say.
//   - internal/home makes the Policy: [NewPolicy], then rules, grants and what came from outside. If rules cannot be read,
//     a policy of mode plan without grants applies.
//   - internal/confine calls [Pass.Decided], [Pass.Consent] and [Policy.Needs] when an allowed program starts.
//   - Code that only explains (permission why) calls Judge or Script, and never Allow.
//
// # Zero values
//
// The zero Policy has no project: it allows harmless commands and reading what comes with the system, asks about other
// reads and denies most of the rest. A zero Decision is no permission: its Verdict is not [Allow].
package permission
