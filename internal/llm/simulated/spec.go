package simulated

import (
	"fmt"
	"github.com/socrates-cli/socrates/internal/llm/simulated/fault"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The default assumptions about errors: those of the acceptance tests, and the distractor with which two seats that
// err agree about six times in ten.
const (
	usualCommon     = .25
	usualWithin     = .45
	UsualDistractor = .755
)

// TruthKey precedes the right answer, at the end of a spec.
const TruthKey = ",truth="

// Form shows people how to write a seat.
const Form = "ACCURACY[/LINEAGE][,KEY=VALUE…], as in .8/a,fault=timeout"

// keys are the settings of a spec that take one number, with its least and greatest value.
var keys = map[string]struct {
	least, most float64
	set         func(*Profile, float64)
}{
	"common":      {0, 1, func(s *Profile, x float64) { s.Common = x }},
	"within":      {0, 1, func(s *Profile, x float64) { s.Within = x }},
	"distractor":  {0, 1, func(s *Profile, x float64) { s.Distractor = x }},
	"susceptible": {0, 1, func(s *Profile, x float64) { s.Susceptibility = x }},
	"first":       {0, 1, func(s *Profile, x float64) { s.First = x }},
	"stubborn":    {0, 1, func(s *Profile, x float64) { s.Stubborn = x }},
	"checkable":   {0, 1, func(s *Profile, x float64) { s.Checkable = x }},
	"confidence":  {0, 1, func(s *Profile, x float64) { s.Confidence = x }},
	"words":       {0, 100_000, func(s *Profile, x float64) { s.Words = int(x) }},
	"seed":        {0, 1 << 53, func(s *Profile, x float64) { s.Seed = uint64(x) }},
}

// pairs are the settings that take two numbers with a slash between.
var pairs = map[string]struct {
	least, most float64
	set         func(s *Profile, x, y float64)
}{
	"ease":  {.01, 1000, func(s *Profile, x, y float64) { s.Ease = Beta{x, y} }},
	"judge": {0, 1, func(s *Profile, x, y float64) { s.Judge = Judge{x, y} }},
	"price": {0, 1e6, func(s *Profile, x, y float64) { s.Price.Input, s.Price.Output, s.Price.Known = x, y, true }},
}

// Parse reads a seat as people write it: an accuracy, a lineage after a slash, and settings with commas between. The
// last of them may be truth=TEXT, the right answer, which runs to the end. Errors name what is wrong.
func Parse(spec string) (s Profile, truth string, err error) {
	s = Profile{Common: usualCommon, Within: usualWithin, Distractor: UsualDistractor, Checkable: 1}
	spec, truth, _ = strings.Cut(spec, TruthKey)
	parts := strings.Split(spec, ",")
	accuracy, lineage, named := strings.Cut(parts[0], "/")
	if s.Accuracy, err = number(accuracy, 0, 1); err != nil {
		return s, "", fmt.Errorf("the accuracy %w", err)
	}
	if s.Lineage = lineage; named && strings.Trim(lineage, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || named && lineage == "" {
		return s, "", fmt.Errorf("the lineage %q must be lowercase letters and digits", lineage)
	}
	for _, part := range parts[1:] {
		key, value, _ := strings.Cut(part, "=")
		if err := s.set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return s, "", err
		}
	}
	if s.Common+s.Within > 1 {
		return s, "", fmt.Errorf("common %g and within %g add up to more than 1", s.Common, s.Within)
	}
	return s, truth, nil
}

// set sets the field that a key names.
func (s *Profile) set(key, value string) error {
	if k, ok := keys[key]; ok {
		x, err := number(value, k.least, k.most)
		if err != nil {
			return fmt.Errorf("%s %w", key, err)
		}
		k.set(s, x)
		return nil
	}
	if p, ok := pairs[key]; ok {
		first, second, _ := strings.Cut(value, "/")
		x, err := number(first, p.least, p.most)
		if err != nil {
			return fmt.Errorf("%s, before the slash, %w", key, err)
		}
		y, err := number(second, p.least, p.most)
		if err != nil {
			return fmt.Errorf("%s, after the slash, %w", key, err)
		}
		p.set(s, x, y)
		return nil
	}
	switch key {
	case "latency":
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return fmt.Errorf("latency %q is not a duration like 200ms", value)
		}
		s.Latency = d
	case "evidence":
		if s.Evidence = value; value != "command" && value != "quote" {
			return fmt.Errorf("evidence %q is neither command nor quote", value)
		}
	case "fault":
		if s.Fault = fault.Fault(value); !slices.Contains(fault.All(), s.Fault) {
			return fmt.Errorf("unknown fault %q; use one of %s", value, listed(fault.All()))
		}
	case "at":
		if s.At = Act(value); !slices.Contains(acts(), s.At) {
			return fmt.Errorf("at %q is not one of %s", value, listed(acts()))
		}
	default:
		return fmt.Errorf("unknown setting %q; a seat is written %s", key, Form)
	}
	return nil
}

// listed formats a list for people.
func listed[T ~string](all []T) string {
	var out []string
	for _, x := range all {
		out = append(out, string(x))
	}
	return strings.Join(out, ", ")
}

// number reads a number within bounds. Its error continues a sentence that names what the number is.
func number(text string, least, most float64) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(x >= least && x <= most) {
		return 0, fmt.Errorf("%q is not a number from %g to %g", text, least, most)
	}
	return x, nil
}
