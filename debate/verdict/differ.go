package verdict

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// mostDifferences is how many differences between a replay and its record are listed.
const mostDifferences = 3

// Differences lists where two values differ as JSON: at most three places, then how many more; none if they are equal. Elements of a
// list are matched by id, seat or key.
func Differences(recorded, again any) []string {
	var out []string
	compare("", plainJSON(recorded), plainJSON(again), &out)
	if more := len(out) - mostDifferences; more > 0 {
		out = append(out[:mostDifferences], fmt.Sprintf("and %d more", more))
	}
	return out
}

// Numbers returns v without its sentences, which change from version to version: the reason, the reasons' texts and why a cap
// applied. Two verdicts of one ledger and rules have equal Numbers, whichever versions computed them.
func (v Verdict) Numbers() Verdict {
	v.Reason, v.Reasons, v.Score.Caps = "", slices.Clone(v.Reasons), slices.Clone(v.Score.Caps)
	for i := range v.Reasons {
		v.Reasons[i].Text = ""
	}
	for i := range v.Score.Caps {
		v.Score.Caps[i].Why = ""
	}
	return v
}

func plainJSON(v any) (out any) {
	raw, err := json.Marshal(v)
	if err != nil || json.Unmarshal(raw, &out) != nil {
		return fmt.Sprint(v)
	}
	return out
}

// compare descends while both values have members, and lists the places where they differ.
func compare(at string, a, b any, out *[]string) {
	if reflect.DeepEqual(a, b) {
		return
	}
	am, aIs := members(a)
	bm, bIs := members(b)
	if !aIs || !bIs {
		*out = append(*out, fmt.Sprintf("%s is %s in the record, but %s when recomputed", at, shortJSON(a), shortJSON(b)))
		return
	}
	names := slices.Collect(maps.Keys(am))
	for name := range bm {
		if _, both := am[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		compare(strings.TrimPrefix(at+" "+name, " "), am[name], bm[name], out)
	}
}

// members returns the members of an object or list by name (null has none); false: v is neither.
func members(v any) (map[string]any, bool) {
	switch v := v.(type) {
	case nil:
		return map[string]any{}, true
	case map[string]any:
		return v, true
	case []any:
		out := map[string]any{}
		for i, x := range v {
			name := fmt.Sprint(i + 1)
			if m, ok := x.(map[string]any); ok {
				// By name, since one missing element would otherwise make all after it differ.
				for _, key := range []string{"id", "seat", "key"} {
					if s, ok := m[key].(string); ok && s != "" {
						name = s
						break
					}
				}
			}
			if _, taken := out[name]; taken {
				name += fmt.Sprintf(" (%d)", i+1)
			}
			out[name] = x
		}
		return out, true
	}
	return nil, false
}

// shortJSON returns a value as JSON, short enough for a sentence.
func shortJSON(v any) string {
	if v == nil {
		return "missing"
	}
	raw, _ := json.Marshal(v)
	if r := []rune(string(raw)); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return string(raw)
}
