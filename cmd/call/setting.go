package call

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/failure"
)

// DebateSettings are the flags that set a setting. The name of the flag and the key differ only in dashes and in the
// unit.
var DebateSettings = []struct{ Flag, Key, Doc string }{
	{"seat-timeout", "debate.seat_timeout", "time limit per seat and turn"},
	{"timeout", "debate.timeout", "time limit for the debate"},
	{"grace", "debate.grace", "wait this long for the last seat"},
	{"rounds", "debate.rounds", "maximum rounds of cross-examination"},
	{"budget", "debate.budget_usd", "spending limit in USD"},
	{"max-tokens", "debate.max_tokens", "token limit"},
	{"tool-calls", "debate.tool_calls", "tool-call limit per seat and turn"},
}

// flagOf returns the flag that sets a setting.
func flagOf(key string) string {
	for _, s := range DebateSettings {
		if s.Key == key {
			return "--" + s.Flag
		}
	}
	return map[string]string{"output.color": "--color", "store.path": "--store", "preset": "--preset", "debate.strategy": "--strategy",
		"debate.economy": "--economy", "debate.effort": "--effort", "debate.judge": "--judge", "debate.moderator": "--moderator"}[key]
}

// ByFlag names the flag instead of the key in the error of a setting that a flag gave. Values are checked where
// settings are, which knows keys alone; a person who typed --budget must not read of debate.budget_usd.
func ByFlag(err error) error {
	e, ok := errors.AsType[*config.Error](err)
	if !ok {
		return err
	}
	key, ok := strings.CutPrefix(e.File, "flag ")
	if !ok {
		return err
	}
	return failure.Usage(flagOf(key)+" "+strings.TrimPrefix(e.Message, key+": "), e.Hint)
}

// SettingFlags are flags that set a setting, by its key. A nil map answers Given and Value for commands that have no
// such flags; only Add needs a map.
type SettingFlags map[string]*string

// Add adds a flag for a setting.
func (s SettingFlags) Add(c *cobra.Command, flag, key, doc string) {
	s[key] = c.Flags().String(flag, "", doc)
}

// Given reports whether a setting was given as a flag.
func (s SettingFlags) Given(key string) bool { return s.Value(key) != "" }

// Value returns the value that a flag gives a setting; empty: it was not given, or there is no such flag.
func (s SettingFlags) Value(key string) string {
	if value := s[key]; value != nil {
		return *value
	}
	return ""
}

// All returns the settings that were given, by key.
func (s SettingFlags) All() map[string]string {
	given := map[string]string{}
	for key := range s {
		if s.Given(key) {
			given[key] = s.Value(key)
		}
	}
	return given
}
