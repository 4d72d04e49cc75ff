// Package suite has sets of questions with known answers: the format of an item, reading and validating a suite, and judging answers.
//
// A suite is lines of JSON, one [Item] each. [Read] yields the items and a [Problem] for each invalid line, so a person sees all
// problems at once; [Pick] draws items by a seed; [Judge.Right] reports whether an answer is right, by one of five kinds of [Check].
// An item that Read has yielded is valid, and other code relies on that: it has either no options or 2 to 26 that differ in words,
// patterns compile, names of files stay in their folder.
//
// Suites may come from strangers. A check that runs a program works only with a Judge that has a Run function, which is responsible
// for permission and containment; the others need only the answer. How answers are compared ([Plain], [Item.Class]) decides what
// counts as right and how votes are counted, so a change there changes the figures of existing suites.
package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/motion"
)

// Item is one question with a known answer: a line of a suite. With Options it is a choice, else an open question.
type Item struct {
	ID       string            `json:"id"`
	Question string            `json:"question"`
	Options  []string          `json:"options,omitempty"`
	Answer   Text              `json:"answer,omitempty"` // short form of a Check that compares with it
	Check    *Check            `json:"check,omitempty"`
	Files    map[string]string `json:"files,omitempty"`   // files the question is about: texts by relative path
	Stratum  string            `json:"stratum,omitempty"` // group of similar items; differences are resampled within it
}

// Check says which answers are right. Kind is exact, numeric, regexp, option or program.
type Check struct {
	Kind    string   `json:"kind"`
	Answer  Text     `json:"answer,omitempty"`  // of exact, numeric and option (a letter or its text)
	Pattern string   `json:"pattern,omitempty"` // of regexp; it may match anywhere in the answer
	Abs     float64  `json:"abs,omitempty"`     // of numeric: absolute tolerance
	Rel     float64  `json:"rel,omitempty"`     // of numeric: tolerance as a share of the answer
	Argv    []string `json:"argv,omitempty"`    // of program: exit status 0 means right; the answer is in answer.txt
	Seconds int      `json:"seconds,omitempty"` // of program: time limit; 0: 60
}

// Text is a JSON string or number.
type Text string

// UnmarshalJSON accepts a string, or a number, which it keeps as written.
func (t *Text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = Text(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(raw, &n); err != nil {
		return errors.New("it is neither a text nor a number")
	}
	*t = Text(n)
	return nil
}

// AnswerFile is the file in which a program finds the answer to judge.
const AnswerFile = "answer.txt"

// Limits of an item.
const (
	maxID      = 200
	maxPattern = 2000
	maxFiles   = 1 << 20 // bytes of all files
	maxSeconds = 3600
)

// Truth returns the item's check, or the check that its answer is short for.
func (it Item) Truth() Check {
	switch {
	case it.Check != nil:
		return *it.Check
	case len(it.Options) > 0:
		return Check{Kind: "option", Answer: it.Answer}
	}
	return Check{Kind: "exact", Answer: it.Answer}
}

// Limit returns the time limit of a program.
func (c Check) Limit() time.Duration {
	if c.Seconds == 0 {
		return time.Minute
	}
	return time.Duration(c.Seconds) * time.Second
}

// Valid returns what is wrong with the item, in a sentence; nil: nothing. It checks only this item; Read checks that ids differ.
func (it Item) Valid() error {
	switch {
	case strings.TrimSpace(it.ID) == "":
		return errors.New("it has no id")
	case len(it.ID) > maxID || strings.ContainsFunc(it.ID, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("its id is longer than %d bytes or contains control characters", maxID)
	case strings.TrimSpace(it.Question) == "":
		return errors.New("it has no question")
	case len(it.Question) > motion.MaxLength:
		return fmt.Errorf("its question is longer than %d bytes; put what it is about into files", motion.MaxLength)
	case it.Answer != "" && it.Check != nil:
		return errors.New("it has both answer and check; give one of them")
	case it.Answer == "" && it.Check == nil:
		return errors.New("it has no truth: give answer or check")
	}
	if err := it.validOptions(); err != nil {
		return err
	}
	if err := it.validFiles(); err != nil {
		return err
	}
	return it.validTruth()
}

func (it Item) validOptions() error {
	if len(it.Options) == 0 {
		return nil
	}
	if len(it.Options) < 2 || len(it.Options) > motion.MaxOptions {
		return fmt.Errorf("it has %d options; a choice has 2 to %d", len(it.Options), motion.MaxOptions)
	}
	// A debate would drop or shorten such an option, and its letters would no longer match the item's.
	kept := motion.Letters(it.Options)
	for i, o := range it.Options {
		if i >= len(kept) || kept[i].Key != string(rune('A'+i)) || plain(kept[i].Text) != plain(strings.Trim(o, " \t?.,;:!\"'")) {
			return fmt.Errorf("its option %d (%.40q) is empty, too long, or the same as another", i+1, o)
		}
	}
	return nil
}

func (it Item) validFiles() error {
	size := 0
	for name, text := range it.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\:\x00") || strings.EqualFold(name, AnswerFile) {
			return fmt.Errorf("its file %.80q has a name that cannot be used: it must be below the item's folder and not be %s",
				name, AnswerFile)
		}
		for part := range strings.SplitSeq(name, "/") {
			if strings.EqualFold(part, ".git") {
				return fmt.Errorf("its file %.80q is in a .git folder", name)
			}
		}
		size += len(text)
	}
	if size > maxFiles {
		return fmt.Errorf("its files have %d bytes; %d at most", size, maxFiles)
	}
	return nil
}

func (it Item) validTruth() error {
	c := it.Truth()
	if err := c.valid(); err != nil {
		return err
	}
	if c.Kind == "option" {
		if len(it.Options) == 0 {
			return errors.New("its check is of kind option, but it has no options")
		}
		if it.option(string(c.Answer)) < 0 {
			return fmt.Errorf("its answer %.60q matches none of its options, neither letter nor text", c.Answer)
		}
		// The option at A may have the text "B".
		if a, b := it.byText(string(c.Answer)), it.byLetter(string(c.Answer)); a >= 0 && b >= 0 && a != b {
			return fmt.Errorf("its answer %q is the text of one option and the letter of another", c.Answer)
		}
		return nil
	}
	if c.Kind == "program" || len(it.Options) == 0 {
		return nil
	}
	right := 0
	for _, o := range it.Options {
		if c.accepts(o) {
			right++
		}
	}
	if right == 0 || right == len(it.Options) {
		return fmt.Errorf("%d of its %d options are right by its check", right, len(it.Options))
	}
	return nil
}

// valid returns what is wrong with a check on its own.
func (c Check) valid() error {
	stray := func(fields ...string) error {
		set := map[string]bool{"answer": c.Answer != "", "pattern": c.Pattern != "", "abs": c.Abs != 0, "rel": c.Rel != 0,
			"argv": c.Argv != nil, "seconds": c.Seconds != 0}
		for _, f := range fields {
			delete(set, f)
		}
		for _, f := range []string{"answer", "pattern", "abs", "rel", "argv", "seconds"} {
			if set[f] {
				return fmt.Errorf("a check of kind %s has no %s", c.Kind, f)
			}
		}
		return nil
	}
	switch c.Kind {
	case "exact", "option":
		if Plain(string(c.Answer)) == "" {
			return fmt.Errorf("its check of kind %s has no answer", c.Kind)
		}
		return stray("answer")
	case "numeric":
		if _, ok := number(string(c.Answer)); !ok {
			return fmt.Errorf("its answer %.60q is not a single number", c.Answer)
		}
		if c.Abs < 0 || c.Rel < 0 || math.IsInf(c.Abs+c.Rel, 0) || math.IsNaN(c.Abs+c.Rel) {
			return errors.New("its tolerance is negative or infinite")
		}
		return stray("answer", "abs", "rel")
	case "regexp":
		if c.Pattern == "" || len(c.Pattern) > maxPattern {
			return fmt.Errorf("its pattern is empty or longer than %d bytes", maxPattern)
		}
		if _, err := regexp.Compile(c.Pattern); err != nil {
			return fmt.Errorf("its pattern is not a regular expression: %w", err)
		}
		return stray("pattern")
	case "program":
		if len(c.Argv) == 0 || c.Argv[0] == "" || strings.ContainsAny(c.Argv[0], `/\`) {
			return errors.New(`its argv must begin with the bare name of a program, as in ["go", "test", "./..."]`)
		}
		if c.Seconds < 0 || c.Seconds > maxSeconds {
			return fmt.Errorf("its seconds are %d; they must be 0 to %d", c.Seconds, maxSeconds)
		}
		return stray("argv", "seconds")
	case "":
		return errors.New("its check has no kind; use exact, numeric, regexp, option or program")
	}
	return fmt.Errorf("its check is of kind %.40q; it must be exact, numeric, regexp, option or program", c.Kind)
}
