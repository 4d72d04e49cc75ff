package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Mode says how much may happen without asking. A mode is a ceiling: what it would ask about, a rule or a grant can
// allow; what it denies, nothing can allow.
type Mode string

// The modes, the strictest first.
const (
	Plan     Mode = "plan"     // reads only; everything else is denied
	Paranoid Mode = "paranoid" // reads in the project; everything else needs approval
	Balanced Mode = "balanced" // reads, and writes in the project; commands that change things need approval
	Yolo     Mode = "yolo"     // everything except what cannot be undone, what leaves the project, and what is never allowed
)

// Modes are all modes, the strictest first.
func Modes() []Mode { return []Mode{Plan, Paranoid, Balanced, Yolo} }

// Denies is the reason for what a mode denies; empty: it denies nothing by itself.
func (m Mode) Denies() string {
	if m == Plan {
		return "plan mode allows no changes"
	}
	return ""
}

// ParseMode finds a mode by its name.
func ParseMode(s string) (Mode, error) {
	if m := Mode(s); slices.Contains(Modes(), m) {
		return m, nil
	}
	return "", fmt.Errorf("unknown mode %q: use plan, paranoid, balanced or yolo", s)
}

// Stricter is the stricter of two modes.
func (m Mode) Stricter(n Mode) Mode {
	if slices.Index(Modes(), n) < slices.Index(Modes(), m) {
		return n
	}
	return m
}

// byMode is the table of modes.
func (p Policy) byMode(k hazard, where region) Verdict {
	within := where == inside || where == temporary
	switch p.Mode {
	case Yolo:
		switch {
		case (k == sends || k == keeps) && p.Tainted, (k == writes || k == deletes || k == keeps) && !within:
			return Ask
		}
		return Allow
	case Balanced:
		if k == safe || k == builds || (k == reads || k == writes) && within || k == keeps && within && !p.Tainted {
			return Allow
		}
	case Paranoid:
		if k == safe || k == reads && where == inside {
			return Allow
		}
	default:
		switch {
		case k == safe || k == reads && where == inside:
			return Allow
		case k != reads:
			return Deny
		}
	}
	return Ask
}

// Verdict is the outcome of a request. The zero value is none of the verdicts and must be treated as a denial.
type Verdict string

// The verdicts, the weakest first.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// weight orders verdicts: the strictest part decides a call.
var weight = map[Verdict]int{Allow: 0, Ask: 1, Deny: 2}

// Decision is the verdict about a call and about each of its parts. The strictest part decides.
type Decision struct {
	Verdict Verdict `json:"decision"`
	Reason  string  `json:"reason"`
	Rule    string  `json:"rule,omitempty"` // the rule or grant that decided
	Parts   []Part  `json:"parts"`
}

// Part is the verdict about one command, file or address.
type Part struct {
	Text    string  `json:"text"`
	Verdict Verdict `json:"decision"`
	Reason  string  `json:"reason"`
	Rule    string  `json:"rule,omitempty"`
	// Lost says what cannot be recovered; it needs approval in every mode, each time.
	Lost string `json:"lost,omitempty"`
	// Hosts are the hosts of the registry that the question is about, and the only ones that the command may reach.
	Hosts []string `json:"hosts,omitempty"`
	// Leaves means that it reaches out of the project, to other folders or machines. Sends means that it reaches other machines, and
	// Alters that it changes files outside the project, which no snapshot contains.
	Leaves bool `json:"-"`
	Sends  bool `json:"-"`
	Alters bool `json:"-"`
	// Later means that it is decided again at run time, when more is known.
	Later       bool   `json:"later,omitempty"`
	askEachTime bool   // it needs approval each time
	Tool        string `json:"-"`
	// Reads means that it can change nothing.
	Reads bool `json:"-"`
	// Brings means that it may bring in what strangers wrote: from other machines, or through a tool of another vendor.
	Brings bool `json:"-"`
	// Paths are the files it concerns, absolute and with links followed.
	Paths     []string `json:"-"`
	Act       tool.Act `json:"-"`
	touched   []string // Paths, and those of harmless risks
	allowedBy consent.Level
	executes  map[string]string // the project's files that a command executes, with the hash of their content
}

// consent is the strongest consent of its parts.
func (d Decision) consent() (by consent.Level) {
	for _, p := range d.Parts {
		by = max(by, p.allowedBy)
	}
	if by == consent.Unasked && !d.changes() {
		return consent.Reading
	}
	return by
}

// Elsewhere are the files of a part that neither its text nor its reason names, as absolute paths or relative to where it runs.
func (p Part) Elsewhere() []string {
	words := strings.FieldsFunc(p.Text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'<>|&;()=`, r) })
	return slices.DeleteFunc(slices.Compact(slices.Clone(p.Paths)), func(path string) bool {
		rel, err := filepath.Rel(p.Act.Dir, path)
		return strings.Contains(p.Text, path) || strings.Contains(p.Reason, path) || err == nil && strings.Contains(rel, " ") &&
			strings.Contains(p.Text, rel) ||
			slices.ContainsFunc(words, func(w string) bool { return filepath.Join(p.Act.Dir, w) == path || filepath.Clean(w) == path })
	})
}

// decide combines the verdicts of the parts. Among equally strict parts the first gives the reason.
func decide(parts []Part) Decision {
	d := Decision{Verdict: Allow, Reason: "nothing here needs permission", Parts: parts}
	for i, p := range parts {
		if weight[p.Verdict] > weight[d.Verdict] || i == 0 {
			d.Verdict, d.Reason, d.Rule = p.Verdict, p.Reason, p.Rule
		}
	}
	if len(parts) == 0 {
		d.Parts = []Part{}
	}
	return d
}

// Waits reports whether everything against a call is that it is not known yet: it may begin, and is decided on as it runs.
func (d Decision) Waits() bool {
	for _, p := range d.Parts {
		if p.Verdict == Deny || p.Verdict == Ask && !p.Later {
			return false
		}
	}
	return true
}

// Brings reports whether a call's result may contain what strangers wrote: see Policy.Tainted.
func (d Decision) Brings() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Brings })
}

// Alters reports whether a call may change files outside the project, which no snapshot contains.
func (d Decision) Alters() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Alters })
}

// Leaves reports whether a call may leave uncommitted text in files: what git restores from the repository was committed.
func (d Decision) Leaves() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool {
		return !p.Reads && p.Act.Effect != tool.Keeps && !(len(p.Act.Argv) > 0 && p.Act.Argv[0] == "git" &&
			hasSubcommand(p.Act.Argv[1:], "commit", "checkout", "switch", "branch", "tag", "merge", "reset", "revert", "cherry-pick",
				"restore", "push"))
	})
}

// risk is one thing a command or a call would do. Tables and analyzers produce risks, and know neither modes nor rules;
// Policy.rate turns each into a verdict.
type risk struct {
	kind hazard
	// for reads and writes: absolute, links followed; for what sends only to a registry: its hosts, separated by blanks
	path string
	why  string // for people who read the decision
}

// hazard is the kind of a risk, from harmless to never allowed; code compares hazards by this order.
type hazard int

const (
	safe    hazard = iota // touches nothing
	reads                 // reads path
	writes                // writes path
	deletes               // deletes path, which a snapshot contains
	keeps                 // saves a note for later conversations: no file
	builds                // runs the project's own code, in a sandbox
	runs                  // runs a program that may do anything its sandbox allows
	sends                 // reaches other machines
	later                 // an argument is only known at run time
	unclear               // cannot be understood: always needs approval
	loses                 // cannot be undone: always needs approval
	forbid                // never allowed
)

// join puts reasons into one sentence, without repeating equal neighbours.
func join(reasons []string) string { return strings.Join(slices.Compact(reasons), "; ") }
