package call

import (
	"fmt"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/internal/out"
)

// Finding is the result of one check of doctor.
type Finding struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Must bool   `json:"must"` // without it nothing works
	Say  string `json:"say"`
	Hint string `json:"hint,omitempty"`
	// How long a seat that was tried took: a first turn including start-up, and a second one. 0: not tried.
	ColdMS int64 `json:"cold_ms,omitempty"`
	WarmMS int64 `json:"warm_ms,omitempty"`
}

// Lines formats the finding for a person who reads it on the file to.
func (f Finding) Lines(to *os.File) string {
	mark := "ok  "
	if !f.OK {
		mark = "note"
		if f.Must {
			mark = "BAD "
		}
	}
	text := out.Fit(to, fmt.Sprintf("%s  %-16s %s\n", mark, f.Name, f.Say), strings.Repeat(" ", 23))
	if !f.OK && f.Hint != "" {
		text += out.Fit(to, "      "+f.Hint+"\n", "      ")
	}
	return text
}
