// Package fault names the ways in which an answer of the loopback vendor goes wrong. It stands apart from llmtest
// so that tests and commands can name a fault without that package and all it needs.
package fault

// Kind is a way for an answer to go wrong.
type Kind string

// The faults. Those with a status answer with it at once; the others spoil the stream.
const (
	Unauthorized Kind = "401"
	Unpaid       Kind = "402"
	Limited      Kind = "429"
	Broken       Kind = "500"
	Overloaded   Kind = "529"
	TooLarge     Kind = "413"
	TooLong      Kind = "too-long"  // 400 in the vendor's words for a full window
	Exhausted    Kind = "quota"     // the vendor's own status and words for an empty account
	Page         Kind = "page"      // 502 with an HTML page, as a proxy sends
	Stall        Kind = "stall"     // nothing comes until the client leaves
	Freeze       Kind = "freeze"    // the first delta, then nothing until the client leaves
	Cut          Kind = "cut"       // the first delta, then the connection is cut
	Short        Kind = "short"     // the first delta, then a clean end without the closing events
	Garbled      Kind = "malformed" // a line that is not JSON after the first delta
	ErrorEvent   Kind = "error"     // the first delta, then the protocol's error event: overloaded
	SplitRunes   Kind = "split"     // every byte is its own write
	LongLine     Kind = "long"      // the whole text is one delta
	Refused      Kind = "refusal"   // the vendor's refusal; Text is what it says
	OutOfTokens  Kind = "length"    // the answer ends for its length
	NoUsage      Kind = "no-usage"  // the counts are left out, as some local servers do
)
