// Package fault names the ways in which an answer of the loopback vendor goes wrong. It is separate from llmtest so
// that tests and commands can name a fault without importing that package and its dependencies.
package fault

// Fault is a way for an answer to go wrong.
type Fault string

// The faults. Those with a status answer with it at once; the others damage the stream.
const (
	Unauthorized Fault = "401"
	Unpaid       Fault = "402"
	Limited      Fault = "429"
	Broken       Fault = "500"
	Overloaded   Fault = "529"
	TooLarge     Fault = "413"
	TooLong      Fault = "too-long"  // 400 in the vendor's words for a full window
	Exhausted    Fault = "quota"     // the vendor's own status and words for an empty account
	Page         Fault = "page"      // 502 with an HTML page, as a proxy sends
	Stall        Fault = "stall"     // nothing comes until the client leaves
	Freeze       Fault = "freeze"    // the first delta, then nothing until the client leaves
	Cut          Fault = "cut"       // the first delta, then the connection is cut
	Short        Fault = "short"     // the first delta, then a clean end without the closing events
	Garbled      Fault = "malformed" // a line that is not JSON after the first delta
	ErrorEvent   Fault = "error"     // the first delta, then the protocol's error event: overloaded
	SplitRunes   Fault = "split"     // every byte is its own write
	LongLine     Fault = "long"      // the whole text is one delta
	Refused      Fault = "refusal"   // the vendor's refusal; Text is what it says
	OutOfTokens  Fault = "length"    // the answer ends because of its length
	NoUsage      Fault = "no-usage"  // the counts are left out, as some local servers do
)
