// Package scheme is what the first word of a seat's spec says by itself: who answers for the seat, what must be said wherever it
// sits, and what follows the colon.
//
// Five words are schemes: rehearsal, sim, script, acp and worker. Any other word is the name of a connection or of a program, of which
// package home knows whether it is there. What one kind of seat needs said or refused elsewhere is a field here, so that no
// other package compares the words.
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

// Slowly is what a rehearsal is told to write no faster than a person can watch: rehearsal:slow.
const Slowly = "slow"

// Scheme is what a word stands for. The zero value is that of connections and programs: a model answers.
type Scheme struct {
	Word    string
	Notice  string // must stand at the top and the bottom of what such seats say; empty: nothing must
	Rules   bool   // its seats work by rule: they take no persona, carry out nothing, and have no accuracy
	Written bool   // its replies were written beforehand
	Command bool   // a command line follows, which is run: one from elsewhere must not be
	Partial bool   // the word alone names no seat
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

// Of is the scheme of a spec.
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

// Simulation is how the simulated seat of a spec errs, as package simulated reads it; false: the seat is another.
func Simulation(spec string) (how string, ok bool) { return strings.CutPrefix(spec, Simulated+":") }

// Elsewhere is where the seat of another machine is, and its spec there; false: the seat is here.
func Elsewhere(spec string) (where, there string, ok bool) {
	rest, ok := strings.CutPrefix(spec, Worker+":")
	if !ok {
		return "", "", false
	}
	where, there, _ = strings.Cut(rest, "/")
	return where, there, true
}

// Words are those of all schemes.
func Words() (words []string) {
	for _, s := range schemes {
		words = append(words, s.Word)
	}
	return words
}

// Short is a spec where there is little room: of a script the name of its file, without folder and ending.
func Short(spec string) string {
	if !Of(spec).Written {
		return spec
	}
	file := spec[strings.LastIndexAny(spec, `:/\`)+1:]
	return strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml")
}
