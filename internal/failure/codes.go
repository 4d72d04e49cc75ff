package failure

// The exit codes, as Codes explains them. docs/exit-codes.md is made from that.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitConfig      = 3
	ExitAuth        = 4
	ExitProvider    = 5
	ExitDenied      = 6
	ExitLimit       = 7
	ExitSchema      = 8
	ExitNone        = 10
	ExitUnkept      = 12
	ExitSteered     = 13
	ExitHungUp      = 129
	ExitInterrupted = 130
	ExitTerminated  = 143
)

// Codes is what every exit code means, in text and in JSON mode alike.
var Codes = []struct {
	Code    int
	Meaning string
}{
	{ExitOK, "done; of a debate: decided, with or without dissent"},
	{ExitFailed, "failed: the store, a record, a file, no copy of the project for any seat; the message says what"},
	{ExitUsage, "bad usage: a flag, a seat, a question or a file that is not there or not allowed"},
	{ExitConfig, "the configuration is invalid; the message names file and line; or a project wants to run what is not approved"},
	{ExitAuth, "nobody could answer: keys or logins are missing or wrong"},
	{ExitProvider, "nobody could answer: vendors unavailable or quotas used up, after bounded retries"},
	{ExitDenied, "a tool call was refused, with nobody there to ask"},
	{ExitLimit, "a limit of money or tokens left no seat to ask, or, also one of time, stopped an evaluation"},
	{ExitSchema, "the answer does not fit the schema"},
	{ExitNone, "no decision: a tie, no quorum, not enough evidence, or a panel that was aborted; of an evaluation: inconclusive"},
	{11, "decided, but by a panel that lost a seat"},
	{ExitUnkept, "no snapshot of the project's files can be taken, so nothing was changed, or what was changed cannot be undone"},
	{ExitSteered, "a program created or changed a steering file, which agents, editors, git or shells obey, unasked; what it created was moved out of the project"},
	{ExitHungUp, "stopped because the terminal was closed (SIGHUP); everything is kept and can be resumed"},
	{ExitInterrupted, "stopped by ctrl-C, a debate by two; everything is kept, `socrates debate resume` or `socrates eval resume` goes on"},
	{ExitTerminated, "stopped by SIGTERM; likewise"},
}
