// Package event tells those outside what happened in a debate: a program on its stdin or a webhook, as CloudEvents 1.0.
//
// It is told after the fact and at most once, and what fails changes nothing but a sentence to the user.
package event

import (
	"encoding/json"
	"strings"
	"time"
)

// Name is what happened.
type Name string

// What can happen.
const (
	Started   Name = "debate_started"
	Consensus Name = "consensus_reached" // a debate has named a winner
	Person    Name = "person_needed"     // it has not, or it asks a person something
	Ended     Name = "debate_ended"
)

// Event is something that happened, once.
type Event struct {
	Name Name
	ID   string // of the node that says so: the same event has the same id, whoever tells it
	At   time.Time
	Data Data
}

// Data is what is told of a debate: small, whatever the debate holds.
type Data struct {
	Room      string   `json:"room"`
	Question  string   `json:"question"`
	Folder    string   `json:"folder"`
	Outcome   string   `json:"outcome,omitempty"` // this and what follows: once it has ended
	Winner    string   `json:"winner,omitempty"`  // the option's text; empty: none won
	Score     *float64 `json:"score,omitempty"`
	ExitCode  *int     `json:"exit_code,omitempty"`
	Rehearsal bool     `json:"rehearsal,omitempty"` // no model took part
	Test      bool     `json:"test,omitempty"`      // nothing happened: it is a trial of the wiring
}

// JSON is the event in the structured form of CloudEvents 1.0.
func (e Event) JSON() ([]byte, error) {
	return json.Marshal(struct {
		Version string    `json:"specversion"`
		ID      string    `json:"id"`
		Source  string    `json:"source"`
		Type    string    `json:"type"` // dev.socrates.debate.started and its like
		Subject string    `json:"subject"`
		Time    time.Time `json:"time"`
		Content string    `json:"datacontenttype"`
		Data    Data      `json:"data"`
	}{"1.0", e.ID, "https://github.com/socrates-cli/socrates", "dev.socrates." + strings.ReplaceAll(string(e.Name), "_", "."), e.Data.Room,
		e.At.UTC(), "application/json", e.Data})
}
