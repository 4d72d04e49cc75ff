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

// Mode is how much may happen without asking. A mode is a ceiling for everything that runs below it: what a mode
// would ask, a rule or a grant can allow; what it denies, nothing can.
type Mode string

// The modes, the strictest first.
const (
	Plan     Mode = "plan"     // reads only; all else is denied
	Paranoid Mode = "paranoid" // reads in the project; all else is asked
	Balanced Mode = "balanced" // reads, and writes in the project; commands that change things are asked
	Yolo     Mode = "yolo"     // all but what cannot be undone, what leaves the project, and what is never allowed
)

// Modes are all modes, the strictest first.
func Modes() []Mode { return []Mode{Plan, Paranoid, Balanced, Yolo} }

// Denies is the reason for whatever is denied because of a mode; empty: it denies nothing by itself.
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

// Verdict is the outcome of a request. The zero value is none of them and must be treated as a denial.
type Verdict string

// The verdicts, the weakest first.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// weight orders verdicts: the heaviest part decides a call.
var weight = map[Verdict]int{Allow: 0, Ask: 1, Deny: 2}

// Decision is the verdict about a call, with that of each of its parts. The strictest part decides.
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
	// Lost says what cannot be had back; it is asked about in every mode, each time.
	Lost string `json:"lost,omitempty"`
	// Hosts are those of the registry that is asked about, and all that the command may reach.
	Hosts []string `json:"hosts,omitempty"`
	// Leaves says that it reaches out of the project: other folders, other machines. Sends says that it reaches other machines, and
	// Alters that it changes files outside the project, which no snapshot contains.
	Leaves bool `json:"-"`
	Sends  bool `json:"-"`
	Alters bool `json:"-"`
	// Later says that it will be decided again, when it is known what it is.
	Later       bool   `json:"later,omitempty"`
	askEachTime bool   // it is asked about each time
	Tool        string `json:"-"`
	// Reads says that nothing can be changed by it.
	Reads bool `json:"-"`
	// Brings says that it may bring in what strangers wrote: from other machines, or by a tool of another make.
	Brings bool `json:"-"`
	// Paths are the files it is about, absolute and with links followed.
	Paths     []string `json:"-"`
	Act       tool.Act `json:"-"`
	touched   []string // Paths, and those of what was harmless
	allowedBy consent.Level
	executes  map[string]string // of the project that a command executes, by the hash of their content
}

// consent is the strongest of what its parts were allowed by.
func (d Decision) consent() (by consent.Level) {
	for _, p := range d.Parts {
		by = max(by, p.allowedBy)
	}
	if by == consent.Unasked && !d.changes() {
		return consent.Reading
	}
	return by
}

// Elsewhere are the files of a part that neither its text nor its reason names, be it from the root or from where it runs.
func (p Part) Elsewhere() []string {
	words := strings.FieldsFunc(p.Text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'<>|&;()=`, r) })
	return slices.DeleteFunc(slices.Compact(slices.Clone(p.Paths)), func(path string) bool {
		rel, err := filepath.Rel(p.Act.Dir, path)
		return strings.Contains(p.Text, path) || strings.Contains(p.Reason, path) || err == nil && strings.Contains(rel, " ") &&
			strings.Contains(p.Text, rel) ||
			slices.ContainsFunc(words, func(w string) bool { return filepath.Join(p.Act.Dir, w) == path || filepath.Clean(w) == path })
	})
}

// decide is what the parts come to together. Of equally strict parts the first gives the reason.
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

// Waits says whether all that speaks against a call is that it is not known yet: it may begin, and is decided on as it goes.
func (d Decision) Waits() bool {
	for _, p := range d.Parts {
		if p.Verdict == Deny || p.Verdict == Ask && !p.Later {
			return false
		}
	}
	return true
}

// Brings says whether what a call gives back may be what strangers wrote: see Policy.Tainted.
func (d Decision) Brings() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Brings })
}

// Alters says whether a call may change files outside the project: no snapshot contains those.
func (d Decision) Alters() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Alters })
}

// Leaves says whether a call may leave text in files that nobody had committed: what git takes from the repository was.
func (d Decision) Leaves() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool {
		return !p.Reads && p.Act.Effect != tool.Keeps && !(len(p.Act.Argv) > 0 && p.Act.Argv[0] == "git" &&
			hasSubcommand(p.Act.Argv[1:], "commit", "checkout", "switch", "branch", "tag", "merge", "reset", "revert", "cherry-pick",
				"restore", "push"))
	})
}

// risk is one thing a command or a call would do. Tables and viewers produce risks, and know neither modes nor
// rules; Policy.rate turns each into a verdict.
type risk struct {
	kind hazard
	// of reads and writes: absolute, links followed; of what sends to a registry alone: its hosts, with blanks between
	path string
	why  string // for the reader of the decision
}

// hazard is what a risk is about, from harmless to never allowed; code compares hazards by this order.
type hazard int

const (
	safe    hazard = iota // touches nothing
	reads                 // path
	writes                // path
	deletes               // path: the file is gone, but a snapshot has it
	keeps                 // a note for later conversations: no file
	builds                // the project's own code, where a sandbox holds
	runs                  // a program that may do anything its sandbox lets it
	sends                 // reaches other machines
	later                 // an argument that is only known when it runs
	unclear               // cannot be understood: always asked
	loses                 // cannot be undone: always asked
	forbid                // never
)

// join puts reasons into one sentence, without repeating what neighbours say.
func join(reasons []string) string { return strings.Join(slices.Compact(reasons), "; ") }
