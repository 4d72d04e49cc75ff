package setting

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/spelling"
)

// The Go types of values: string (Text, Choice, URL, Path), int, float64, time.Duration, []string, Secret, Webhook.

// Parse reads one value as a person wrote it. Its errors never show a key.
// The dynamic type follows from s.Type; an empty text is a value where the type has an empty one.
func (s Row) Parse(text string) (any, error) {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return nil, errors.New("must not contain control characters")
	}
	switch s.Type {
	case Choice:
		if !slices.Contains(s.Choices, text) && (text != "" || s.Default != "") {
			return nil, fmt.Errorf("must be %s, not %q", spelling.Either(s.Choices), text)
		}
	case Count, Amount, Span:
		return s.parseNumber(text)
	case List:
		list, err := parseList(text)
		if err == nil {
			err = s.CheckItems(list)
		}
		return list, err
	case URL:
		return text, checkURL(text)
	case Path:
		return Absolute(text)
	case Key:
		return ParseSecret(text)
	case hookURL:
		return newWebhook(text)
	}
	return text, nil
}

// parseNumber reads a count, an amount or a span and holds it against the row's bounds.
func (s Row) parseNumber(text string) (any, error) {
	var v any
	var err error
	switch s.Type {
	case Count:
		if v, err = strconv.Atoi(text); err != nil {
			return nil, fmt.Errorf("must be a whole number, not %q", text)
		}
	case Amount:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(f) {
			return nil, fmt.Errorf("must be a number, not %q", text)
		}
		v = f
	case Span:
		if v, err = time.ParseDuration(text); err != nil {
			return nil, fmt.Errorf("must be a duration such as 90s or 5m, not %q", text)
		}
	}
	if n := size(v); n < s.Min || s.Max > 0 && n > s.Max {
		return nil, fmt.Errorf("must be %s, not %s", s.limits(), text)
	}
	return v, nil
}

// size is a number or a duration in seconds.
func size(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	case time.Duration:
		return v.Seconds()
	}
	return 0
}

// parseList reads "a, b" or, for entries with commas, the YAML form ["a", "b"].
// Items are trimmed; a comma inside one needs the YAML form.
func parseList(text string) ([]string, error) {
	list := []string{}
	if strings.HasPrefix(text, "[") {
		if err := yaml.Unmarshal([]byte(text), &list); err != nil {
			return nil, errors.New("must be a list such as [one, two]")
		}
	} else if strings.TrimSpace(text) != "" {
		list = strings.Split(text, ",")
	}
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list, nil
}

// Items reads the value of a list as Set does.
func Items(text string) ([]string, error) { return parseList(text) }

// CheckItems says what is wrong with entries of a list, one by one.
func (s Row) CheckItems(list []string) error {
	for _, entry := range list {
		if entry == "" || strings.ContainsFunc(entry, unicode.IsControl) {
			return errors.New("must not have an empty entry or control characters")
		}
		if len(s.Choices) > 0 && !slices.Contains(s.Choices, entry) {
			return fmt.Errorf("each entry must be %s, not %q", spelling.Either(s.Choices), entry)
		}
	}
	return nil
}

// checkURL refuses what would carry more than a place: a password in an address ends in logs.
func checkURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("must be an http or https URL")
	case u.User != nil:
		return errors.New("must not contain a user or a password; use the key")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("must not contain a query or a fragment")
	}
	return nil
}

// Absolute replaces ~/ by the home folder.
// An empty path stays empty. Nothing is looked up on the disk.
func Absolute(text string) (string, error) {
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("starts with ~/, but no home folder is known: %w", err)
		}
		return filepath.Join(home, rest), nil
	}
	if text != "" && !filepath.IsAbs(text) {
		return "", fmt.Errorf("must be absolute or start with ~/, not %q", text)
	}
	return text, nil
}

// Show writes a value as a person would; a secret is masked.
func Show(v any) string {
	switch v := v.(type) {
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	case time.Duration:
		text := v.String()
		if strings.HasSuffix(text, "m0s") {
			text = strings.TrimSuffix(text, "0s")
		}
		if strings.HasSuffix(text, "h0m") {
			text = strings.TrimSuffix(text, "0m")
		}
		return text
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// Restrict returns what remains of a project's value over the one below it, and what was refused, if anything.
// below is what counts without the project. v is never wider than it; refused is a sentence about what was ignored.
func (s Row) Restrict(below, project any) (v any, refused string) {
	switch s.Project {
	case lower:
		open := s.Open && size(below) == 0
		if s.Open && size(project) == 0 && !open || !open && size(project) > size(below) {
			return below, fmt.Sprintf("a project may only lower it (now %s)", Show(below))
		}
		return project, ""
	case remove:
		left := slices.Clone(below.([]string))
		kept, dropped := []string{}, []string{}
		for _, entry := range project.([]string) {
			if i := slices.Index(left, entry); i >= 0 {
				left = slices.Delete(left, i, i+1)
				kept = append(kept, entry)
			} else {
				dropped = append(dropped, strconv.Quote(entry))
			}
		}
		if s.Open && len(kept) == 0 {
			return below, "a project may only remove entries, and none of yours would be left"
		}
		if len(dropped) > 0 {
			refused = "a project may only remove entries; not among yours: " + strings.Join(dropped, ", ")
			if s.Key == "checks.commands" {
				refused += "; to allow them: socrates trust"
			}
		}
		return kept, refused
	case tighten:
		return s.stricter(below, project)
	}
	switch section, _, _ := strings.Cut(s.Key, "."); section {
	case "hooks":
		return below, "a project may not set it; project hooks belong in .socrates/hooks.yaml and need approval"
	case "mcp":
		return below, "a project may not set it; project servers belong in .mcp.json and need approval"
	}
	return below, "a project may not set it"
}

// stricter is the earlier of two choices, or a list with what a project adds to it.
// Choices stand in the table from strict to wide.
func (s Row) stricter(below, project any) (v any, refused string) {
	added, list := project.([]string)
	if !list {
		if slices.Index(s.Choices, project.(string)) > slices.Index(s.Choices, below.(string)) {
			return below, fmt.Sprintf("a project may only make it stricter (now %s)", Show(below))
		}
		return project, ""
	}
	kept, dropped := slices.Clone(below.([]string)), []string{}
	for _, entry := range added {
		if words := strings.Fields(entry); len(words) > 0 && words[0] == "allow" {
			dropped = append(dropped, strconv.Quote(entry))
		} else {
			kept = append(kept, entry)
		}
	}
	if len(dropped) > 0 {
		refused = "a project may not allow anything: " + strings.Join(dropped, ", ")
	}
	return kept, refused
}
