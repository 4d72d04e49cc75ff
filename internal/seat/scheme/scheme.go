// Package scheme has what the first word of a seat's spec means by itself: who answers for the seat, which notice its results need,
// and what follows the colon.
//
// Five words are schemes: rehearsal, sim, script, acp and worker. Any other word is the name of a connection or of a program; package
// home knows whether it exists. What other packages must say or refuse for a kind of seat is a field here, so that no other package
// compares the words.
package scheme

import (
	"slices"
	"strings"
)

// The words that begin a spec.
const (
	Rehearsal = "rehearsal" // the offline panel; rehearsal-NAME is one seat of it
	Simulated = "sim"       // sim:ACCURACY/LINEAGE
	Script    = "script"    // script:FILE
	Agent     = "acp"       // acp:COMMAND ARGS, a program that speaks the Agent Client Protocol
	Worker    = "worker"    // worker:NAME/SEAT, a seat of another machine
)

// Slowly makes a rehearsal write no faster than a person can watch: rehearsal:slow.
const Slowly = "slow"

// Scheme describes what a word means. The zero value is for connections and programs: a model answers.
type Scheme struct {
	Word    string
	Notice  string // must be at the top and the bottom of such seats' results; empty: none
	Rules   bool   // its seats are rule-based: they take no persona, execute nothing, and have no accuracy
	Written bool   // its replies were written in advance
	Command bool   // a command line follows, which is run; one from another machine must not be
	Partial bool   // the word alone is not a seat
}

var schemes = []Scheme{
	{Word: Rehearsal, Rules: true,
		Notice: "Rehearsal: no model took part. Three rule-based seats searched this folder and quoted what they found."},
	{Word: Simulated, Partial: true,
		Notice: "Simulated: no model took part. Simulated seats know the right answer and err at their assumed rate."},
	{Word: Script, Written: true, Partial: true},
	{Word: Agent, Command: true, Partial: true},
	{Word: Worker, Partial: true},
}

// Of returns the scheme of a spec.
func Of(spec string) Scheme {
	word, _, _ := strings.Cut(spec, ":")
	if strings.HasPrefix(word, Rehearsal+"-") {
		word = Rehearsal
	}
	if i := slices.IndexFunc(schemes, func(s Scheme) bool { return s.Word == word }); i >= 0 {
		return schemes[i]
	}
	return Scheme{}
}

// Simulation returns how a simulated seat errs, in the form that package simulated reads; false: it is another kind of seat.
func Simulation(spec string) (how string, ok bool) { return strings.CutPrefix(spec, Simulated+":") }

// Elsewhere returns the machine of a remote seat, and its spec there; false: the seat is local.
func Elsewhere(spec string) (where, there string, ok bool) {
	rest, ok := strings.CutPrefix(spec, Worker+":")
	if !ok {
		return "", "", false
	}
	where, there, _ = strings.Cut(rest, "/")
	return where, there, true
}

// Words returns the words of all schemes.
func Words() (words []string) {
	for _, s := range schemes {
		words = append(words, s.Word)
	}
	return words
}

// Short returns a short form of a spec: for a script the name of its file, without folder and extension.
func Short(spec string) string {
	if !Of(spec).Written {
		return spec
	}
	file := spec[strings.LastIndexAny(spec, `:/\`)+1:]
	return strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml")
}
