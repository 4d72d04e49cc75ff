package failure

// The exit codes, as Codes explains them. docs/exit-codes.md is made from that.
const (
	// Those from 129 on are 128 and the number of the signal, as shells have it.
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitConfig      = 3
	ExitAuth        = 4
	ExitProvider    = 5
	ExitDenied      = 6
	ExitLimit       = 7
	ExitSchema      = 8
	ExitTasks       = 9
	ExitNone        = 10
	ExitDegraded    = 11
	ExitPerson      = 12
	ExitSteered     = 13
	ExitUnkept      = 14
	ExitHungUp      = 129
	ExitInterrupted = 130
	ExitTerminated  = 143
)

// Codes is what every exit code means, in text and in JSON mode alike.
var Codes = []struct {
	Code    int
	Meaning string
}{
	{ExitOK, "success; for a debate: decided, with or without dissent; for an agent's turn: it ended, even if a tool call failed"},
	{ExitFailed, "failure: a store, record or file error, a record that does not verify, an outdated decision, or no seat got a copy of " +
		"the project; see the message"},
	{ExitUsage, "usage error: an invalid or unknown flag, seat, question or file"},
	{ExitConfig, "invalid configuration (the message names file and line), or the project wants to run something you have not approved"},
	{ExitAuth, "no model could answer: API keys or logins are missing or invalid"},
	{ExitProvider, "no model could answer: vendors unavailable or quotas used up, after a limited number of retries"},
	{ExitDenied, "a tool call was denied: by plan mode, by a rule, or because nobody could be asked"},
	{ExitLimit, "a spending or token limit left no seat to ask or stopped a turn; for an evaluation: a spending, token or time limit"},
	{ExitSchema, "the answer does not match the schema"},
	{ExitTasks, "a step of a plan or one of its checks failed, or the plan itself is wrong"},
	{ExitNone, "no decision: a tie, no quorum, not enough evidence or an aborted panel; for an evaluation: inconclusive; for `verify`: " +
		"the file's text could not be compared with its record"},
	{ExitDegraded, "decided, but the panel lost a seat"},
	{ExitPerson, "decided, but the answer depends on one lineage or on a contested objection: it needs your call " +
		"(`socrates decisions confirm` or `overrule`); `--gate any` gives 0 or 11 instead"},
	{ExitSteered, "a program created or changed a steering file (one that agents, editors, git or shells obey) without approval; " +
		"created files were moved out of the project"},
	{ExitUnkept, "no snapshot of the project's files could be taken: nothing was changed, or the changes cannot be undone"},
	{ExitHungUp, "stopped because the terminal was closed (SIGHUP); everything is saved and can be resumed"},
	{ExitInterrupted, "stopped by ctrl-C (a debate: pressed twice), or a run that was paused or cancelled; everything is saved; " +
		"resume with `socrates debate resume`, `socrates eval resume` or `socrates work resume`"},
	{ExitTerminated, "stopped by SIGTERM; everything is saved and can be resumed"},
}

// Settled says whether a debate that ends with a code took place to its end, whatever it came to.
func Settled(code int) bool {
	return code == ExitOK || code == ExitNone || code == ExitDegraded || code == ExitPerson
}
