package permission

import "github.com/socrates-cli/socrates/internal/tool"

// note is a text that later conversations begin with. It is as a write, but of no file: nothing brings it back, so a snapshot is
// not taken, and no longer grant is offered, since one could only say that any text may be kept.
func (p Policy) note(name string, a tool.Act) Part {
	r := risk{keeps, "", "saves a note that later conversations in this project begin with"}
	if a.Dir == "" {
		r.why = "saves a note that later conversations in all projects begin with"
	}
	return p.rate(subject{tool: name, dir: a.Dir, text: a.Text, act: a}, r)
}

// noted is where a risk is that is about no file: a note for this project is inside of it.
func noted(s subject, r risk) region {
	if r.kind == keeps && s.dir != "" {
		return inside
	}
	return outside
}
