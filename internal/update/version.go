package update

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// version is one of semantic versioning, without what stands behind a plus.
type version struct {
	number [3]int
	before []string // parts of a pre-release: rc, 1
}

// parse reads a version such as 1.2.3 or 1.2.3-rc.1, without a v ahead.
func parse(text string) (v version, err error) {
	numbers, before, pre := strings.Cut(text, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 {
		return v, fmt.Errorf("%q is not a version such as 0.1.0", text)
	}
	for i, part := range parts {
		if v.number[i], err = strconv.Atoi(part); err != nil || v.number[i] < 0 || strconv.Itoa(v.number[i]) != part {
			return v, fmt.Errorf("%q is not a version such as 0.1.0", text)
		}
	}
	if pre {
		v.before = strings.Split(before, ".")
		for _, part := range v.before {
			if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
				return v, fmt.Errorf("%q is not a version such as 0.1.0-rc.1", text)
			}
		}
	}
	return v, nil
}

// Newer says whether version a comes after b. One that is not a version comes before all others.
func Newer(a, b string) bool {
	x, err := parse(a)
	if err != nil {
		return false
	}
	y, err := parse(b)
	if err != nil {
		return true
	}
	return x.compare(y) > 0
}

// compare orders versions as semantic versioning does (semver.org 2.0.0, 11): numbers first, a pre-release before
// its release, its parts number by number and word by word.
func (v version) compare(w version) int {
	for i := range v.number {
		if c := cmp.Compare(v.number[i], w.number[i]); c != 0 {
			return c
		}
	}
	if len(v.before) == 0 || len(w.before) == 0 { // a release comes after its pre-releases
		return cmp.Compare(len(w.before), len(v.before))
	}
	for i := range min(len(v.before), len(w.before)) {
		a, errA := strconv.Atoi(v.before[i])
		b, errB := strconv.Atoi(w.before[i])
		c := 0
		switch {
		case errA == nil && errB == nil:
			c = cmp.Compare(a, b)
		case errA == nil:
			c = -1
		case errB == nil:
			c = 1
		default:
			c = strings.Compare(v.before[i], w.before[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(v.before), len(w.before))
}
