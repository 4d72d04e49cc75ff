package permission

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/tool"
)

// verdict is the strictest verdict about the risks. It joins the reasons of the strictest; weaker ones are not shown,
// since the person need not decide about them.
func (p Policy) verdict(s subject, all []risk) Part {
	if len(all) == 0 {
		all = []risk{{kind: safe, why: "touches nothing"}}
	}
	out := Part{Text: s.text, Verdict: Allow, Act: s.act}
	var reasons, calm []string
	strictest, harmless, by, touched := -1, true, consent.Unasked, []string{}
	for _, r := range all {
		part := p.rate(s, r)
		if weight[part.Verdict] > strictest {
			strictest = weight[part.Verdict]
			out, reasons, calm = part, nil, nil
			out.Paths = nil
		}
		if weight[part.Verdict] == strictest {
			if !slices.Equal(out.Hosts, part.Hosts) {
				out.Hosts = nil
			}
			out.Paths = append(out.Paths, part.Paths...)
			if part.Reads && r.kind == safe { // it is only the reason if nothing else is done
				calm = append(calm, part.Reason)
			} else {
				reasons = append(reasons, part.Reason)
			}
			if part.Lost != "" {
				out.Lost = part.Lost
			}
			out.Later, out.askEachTime = out.Later && part.Later, out.askEachTime || part.askEachTime
			out.Leaves, out.Sends, out.Alters = out.Leaves || part.Leaves, out.Sends || part.Sends, out.Alters || part.Alters
		}
		harmless, by = harmless && part.Reads, max(by, part.allowedBy)
		if r.kind != sends {
			touched = append(touched, r.path)
		}
	}
	if len(reasons) == 0 || harmless {
		reasons = append(calm, reasons...)
	}
	out.Reason, out.Reads, out.allowedBy, out.touched = join(reasons), harmless, by, touched
	return out
}

// rate is the verdict about one risk, in the order of the package comment.
func (p Policy) rate(s subject, r risk) Part {
	part := Part{Text: s.text, Reason: r.why, Tool: s.tool, Act: s.act, Reads: r.kind == safe || r.kind == reads,
		Brings: s.url != "" || r.kind == reads && p.fetched(r.path, false)}
	where := outside
	if r.kind == keeps && s.dir != "" { // a note for this project counts as inside it
		where = inside
	}
	if r.kind == reads || r.kind == writes || r.kind == deletes {
		var why string
		if where, why = p.region(r.path, r.kind != reads); why != "" {
			part.Reason = strings.TrimPrefix(part.Reason+"; "+why, "; ")
		}
		s.path = cmp.Or(s.path, r.path)
		part.Paths = []string{r.path}
	}
	part.Sends, part.Alters = r.kind == sends, where == outside && (r.kind == writes || r.kind == deletes)
	part.Leaves = part.Sends || part.Alters || where == outside && (r.kind == reads || r.kind == keeps)
	rule, found := p.ruled(s, r)
	planned := p.Mode == Plan && r.kind != forbid && where != never && !(found && rule.Verdict == Deny)
	onceOnly := false // no rule and no longer grant can allow it
	switch {
	case r.kind == forbid || where == never:
		part.Verdict = Deny
	case (r.kind == writes || r.kind == deletes) && !p.mayWrite(r.path):
		part.Verdict, part.Reason = Deny, "only "+strings.Join(p.Only, ", ")+" may be written now"
		return part
	case found && rule.Verdict == Deny:
		part.Verdict, part.Rule, part.Reason = Deny, rule.String(), "denied by a rule"
	case r.kind == loses:
		part.Verdict, part.Lost, onceOnly = Ask, r.why, true
	case found && rule.Verdict == Ask && (p.Mode != Plan || p.byMode(r.kind, where) != Deny):
		part.Verdict, part.Rule, part.Reason, part.askEachTime, onceOnly = Ask, rule.String(), ruleReason[Ask], true, true
	case r.kind == unclear || r.kind == later:
		part.Verdict, part.Later, part.askEachTime, onceOnly = Ask, r.kind == later, true, true
	default:
		rateByMode(p, s, r, where, rule, &part)
	}
	if onceOnly {
		if p.Mode == Plan && (r.kind == loses || r.kind == unclear) {
			part.Verdict = Deny
		}
		if g, ok := p.granted(s, r); ok && g.Once {
			part.Verdict, part.Rule, part.allowedBy = Allow, g.String(), consent.Asked
		}
	}
	part.explain(r, where, planned)
	return part
}

// rateByMode is the verdict of the mode. If it asks, a grant or a rule that allows is enough; rule is the one that applies, or none.
func rateByMode(p Policy, s subject, r risk, where region, rule Rule, part *Part) {
	part.Verdict = p.byMode(r.kind, where)
	allowed := rule.Verdict == Allow && !p.egress(r)
	// It is allowed anyway, but the rule gives its program its logins.
	if part.Verdict == Allow && allowed {
		part.Rule, part.allowedBy = rule.String(), rule.consent(s)
	}
	if part.Verdict != Ask {
		return
	}
	part.Hosts = r.hosts()
	switch {
	case p.egress(r) && len(part.Hosts) == 0:
		part.askEachTime = true
		part.Reason += "; asked every time, because this conversation has read untrusted text"
	case p.egress(r):
		part.Reason += "; this conversation has read untrusted text"
	}
	if g, ok := p.granted(s, r); ok {
		part.Verdict, part.Rule, part.allowedBy = Allow, g.String(), g.consent()
	} else if by, ok := registryRule(p, s, r); ok {
		part.Verdict, part.Rule = Allow, by.String()
	} else if allowed {
		part.Verdict, part.Rule, part.allowedBy = Allow, rule.String(), rule.consent(s)
	}
}

// explain gives a verdict a reason if it has none. planned: the denial is due to plan mode.
func (p *Part) explain(r risk, where region, planned bool) {
	switch {
	case p.Reason != "":
	case r.kind == deletes && p.Verdict == Ask:
		p.Reason = "deletes " + r.path + " (undo restores it, unless git ignores it)"
	case where == temporary && p.Verdict == Allow:
		p.Reason = "in a temporary folder"
	case p.Verdict == Allow && r.kind == writes:
		p.Reason = "writes inside the project"
	case p.Verdict != Deny || !planned:
		p.Reason = defaultReason[p.Verdict]
	}
	if planned && p.Verdict == Deny {
		p.Reason = strings.TrimPrefix(p.Reason+"; "+Plan.Denies(), "; ")
	}
}

// ruleReason and defaultReason are the texts for a verdict.
var ruleReason = map[Verdict]string{Ask: "a rule requires approval", Deny: "denied by a rule"}

var defaultReason = map[Verdict]string{Allow: "inside the project", Ask: "needs permission", Deny: "never allowed"}

func (p Policy) mayWrite(path string) bool {
	rel, ok := within(p.Workspace, path)
	return len(p.Only) == 0 || ok && slices.ContainsFunc(p.Only, func(glob string) bool {
		return doublestar.MatchUnvalidated(glob, filepath.ToSlash(rel))
	})
}

// egress reports whether something could carry out what a stranger's text asked for by sending, or carry that text into later
// conversations.
func (p Policy) egress(r risk) bool { return (r.kind == sends || r.kind == keeps) && p.Tainted }

// note is the part for a text that later conversations begin with. It is like a write, but of no file: nothing can restore it, so no
// snapshot is taken, and no longer grant is offered, since that would allow any text to be saved.
func (p Policy) note(name string, a tool.Act) Part {
	r := risk{keeps, "", "saves a note that later conversations in this project begin with"}
	if a.Dir == "" {
		r.why = "saves a note that later conversations in all projects begin with"
	}
	return p.rate(subject{tool: name, dir: a.Dir, text: a.Text, act: a}, r)
}
