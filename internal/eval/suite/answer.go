package suite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// Judge decides whether answers are right. Its zero value runs no programs.
//
// Several goroutines may call Run at once, each with its own folder.
type Judge struct {
	// Run runs a program in dir and reports whether it ended with status 0. An error says why that is unknown.
	Run func(ctx context.Context, dir string, argv []string, limit time.Duration) (bool, error)
}

// Right reports whether an answer to an item is right. An empty answer never is. An error means that a program did not end by itself,
// or could not run.
func (j Judge) Right(ctx context.Context, it Item, answer string) (bool, error) {
	c := it.Truth()
	switch {
	case strings.TrimSpace(answer) == "":
		return false, nil
	case c.Kind == "program":
		return j.program(ctx, it, c, answer)
	case c.Kind == "option":
		i := it.option(answer)
		return i >= 0 && i == it.option(string(c.Answer)), nil
	}
	return c.accepts(answer), nil
}

// accepts is Right for the checks that need only the answer. An unknown kind accepts nothing.
func (c Check) accepts(answer string) bool {
	switch c.Kind {
	case "exact":
		return Plain(answer) == Plain(string(c.Answer))
	// An error of one part in a billion is right whatever the tolerance, since numbers are written in decimals.
	case "numeric":
		want, _ := number(string(c.Answer))
		got, ok := number(answer)
		return ok && math.Abs(got-want) <= max(c.Abs, c.Rel*math.Abs(want), 1e-9*math.Abs(want))
	case "regexp":
		re, err := regexp.Compile(c.Pattern)
		return err == nil && re.MatchString(strings.TrimSpace(answer))
	}
	return false
}

// program runs the check in a new folder with the item's files and the answer, and removes the folder.
func (j Judge) program(ctx context.Context, it Item, c Check, answer string) (bool, error) {
	if j.Run == nil {
		return false, errors.New("its check runs a program, and that is not allowed")
	}
	temp, err := scratch.New("item")
	if err != nil {
		return false, fmt.Errorf("make a folder for the check: %w", err)
	}
	defer temp.Remove()
	dir := temp.Path
	if err := it.Lay(dir); err != nil {
		return false, err
	}
	if err := os.WriteFile(filepath.Join(dir, AnswerFile), []byte(answer), 0o600); err != nil {
		return false, fmt.Errorf("write the answer for the check: %w", err)
	}
	return j.Run(ctx, dir, c.Argv, c.Limit())
}

// Lay writes the item's files into an existing folder. No name can lead out of it.
func (it Item) Lay(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the item's folder: %w", err)
	}
	defer root.Close()
	for name, text := range it.Files {
		name = filepath.FromSlash(name)
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return fmt.Errorf("write the item's files: %w", err)
		}
		if err := root.WriteFile(name, []byte(text), 0o600); err != nil {
			return fmt.Errorf("write the item's files: %w", err)
		}
	}
	return nil
}

// Class is equal for answers with the same meaning: an option's letter, a number in its usual form, or the plain text. Answers are
// counted by class. It is empty for an answer without content.
func (it Item) Class(answer string) string {
	if len(it.Options) > 0 {
		if i := it.option(answer); i >= 0 {
			return string(rune('A' + i))
		}
	} else if it.Truth().Kind == "numeric" {
		if x, ok := number(answer); ok {
			return strconv.FormatFloat(x, 'g', 12, 64)
		}
	}
	return Plain(answer)
}

// option returns the index of the option that an answer names by text, else by letter; -1: none.
func (it Item) option(answer string) int {
	if i := it.byText(answer); i >= 0 {
		return i
	}
	return it.byLetter(answer)
}

// An option without words is compared by its other characters.
func (it Item) byText(answer string) int {
	for i, o := range it.Options {
		if plain(o) != "" && plain(o) == plain(answer) {
			return i
		}
	}
	return -1
}

func (it Item) byLetter(answer string) int {
	letter := strings.ToUpper(strings.TrimRight(strings.TrimSpace(answer), ".): "))
	if letter = strings.TrimPrefix(letter, "OPTION "); len(letter) == 1 {
		if i := int(letter[0]) - 'A'; i >= 0 && i < len(it.Options) {
			return i
		}
	}
	return -1
}

// plain reduces an option to its lower-case words, as debates compare options; without words the other characters count.
func plain(s string) string {
	words := strings.Join(strings.FieldsFunc(strings.ToLower(s),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
	if words == "" {
		return Plain(s)
	}
	return words
}

// Plain returns a text as it is compared: lower-case, with single blanks, without surrounding quotes and final punctuation. Other
// characters stay: -5 is not 5.
func Plain(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	for {
		t := strings.Trim(strings.TrimRight(s, ".!?;,"), "\"'`*“”‘’ ")
		if t == s {
			return s
		}
		s = t
	}
}

var numbers = pattern.Of(`[-+−]?(?:\d[\d,_']*)?\.?\d+(?:[eE][-+]?\d+)?`)

// number reads the one number in a text. Thousands may be separated; a text with two different numbers has none.
func number(s string) (float64, bool) {
	found, value := false, 0.0
	for _, m := range numbers().FindAllString(s, -1) {
		x, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "", "'", "", "−", "-").Replace(m), 64)
		if err != nil || found && x != value {
			return 0, false
		}
		found, value = true, x
	}
	return value, found
}

// TruthText returns the right answer as a text: for a choice the option's text. It is empty if only a program or a regular expression
// decides.
func (it Item) TruthText() string {
	c := it.Truth()
	if c.Kind == "option" {
		if i := it.option(string(c.Answer)); i >= 0 {
			return it.Options[i]
		}
	}
	if len(it.Options) > 0 {
		for _, o := range it.Options {
			if c.Kind != "program" && c.accepts(o) {
				return o
			}
		}
		return ""
	}
	return string(c.Answer)
}
