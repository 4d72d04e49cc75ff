package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/shell"
)

// newPermission is the command permission.
func newPermission(a *call.Call) *cobra.Command {
	c := &cobra.Command{Use: "permission", Short: "Show, explain and revoke permissions",
		Long: `What an agent may do depends on the permission mode, your rules and your grants.

plan only reads. paranoid asks before everything except reading the project. balanced also
writes in the project and runs read-only commands without asking. yolo asks only before an action
that leaves the project or cannot be undone. A rule in permission.rules is a line such as "allow
bash go test *"; deny beats ask, and ask beats allow. An action that cannot be undone needs
approval in every mode, every time.`,
		Example: `  socrates permission why -- git push --force
  socrates permission why --mode yolo 'ls > ~/.bashrc; rm -rf build'
  socrates permission why --file commands.jsonl --output json
  socrates permission revoke 3
  socrates permission reviewed page.html vendor`,
	}
	list := permitted(a).List("List permission rules and grants")
	c.Args, c.RunE = cobra.NoArgs, list.RunE
	all := false
	revoke := &cobra.Command{Use: "revoke N...", Short: "Revoke permissions by number",
		RunE: func(_ *cobra.Command, args []string) error { return revokeGrants(a, args, all) }}
	revoke.Flags().BoolVar(&all, "all", false, "revoke all grants, in every project")
	c.AddCommand(newWhy(a), revoke, newReviewed(a), list)
	return c
}

// newReviewed is the command permission reviewed.
func newReviewed(a *call.Call) *cobra.Command {
	return &cobra.Command{Use: "reviewed [PATH...]", Short: "Mark untrusted files as reviewed, or list them",
		Long: `A file that an agent fetched, or wrote after it read text from outside the project, is untrusted:
once a conversation has read it, any command that sends data needs approval. Committing the file,
or marking it as reviewed here, ends that. A commit made by an agent does not.`,
		RunE: func(_ *cobra.Command, args []string) error { return sayReviewed(a, args) }}
}

// sayReviewed lists files of the project that came from outside, or clears the marks of paths. Links are resolved
// first: the mark is on the target.
func sayReviewed(a *call.Call, args []string) error {
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		p, err := a.Home.Gate.Policy(dir, "")
		if err != nil {
			return err
		}
		return listOutside(a, p)
	}
	var paths []string
	for _, arg := range args {
		path, err := filepath.Abs(arg)
		if err != nil {
			return fmt.Errorf("find %s: %w", arg, err)
		}
		paths = append(paths, shell.Real(path))
	}
	known, err := a.Home.Gate.Review(dir, paths)
	if err != nil {
		return err
	}
	if len(known) == 0 {
		return failure.Usage("no untrusted files under "+strings.Join(args, ", "), "list them with: socrates permission reviewed")
	}
	a.Out.Tell("Reviewed: " + strings.Join(known, ", ") + ". It no longer counts as untrusted.\n")
	return nil
}

// listOutside lists files that still count as untrusted: a commit of the person's has cleared the others.
func listOutside(a *call.Call, p permission.Policy) error {
	left := []string{}
	for _, path := range p.Fetched {
		if p.FromOutside(path) {
			left = append(left, path)
		}
	}
	line := func(path string) string { return clean.Reveal(path) + "\n" }
	return out.List[string]{Rows: left, Line: line, None: "No untrusted files here.\n"}.Write(a.Out)
}

// permissions is the output of `socrates permission list`.
type permissions struct {
	Mode     string       `json:"mode"`
	ModeFrom string       `json:"mode_from"`
	Rules    []ruleRow    `json:"rules"`
	Grants   []kept.Grant `json:"grants"` // of all projects
}

// ruleRow is a rule with the file and line it comes from.
type ruleRow struct {
	Rule string `json:"rule"`
	From string `json:"from"`
}

// permit is one permission: the mode, a rule, or a grant.
type permit struct {
	mode, from string
	rule       *ruleRow
	grant      *kept.Grant
}

// permitted describes permissions for noun: the mode, then rules, then grants, of all projects, because a person who
// looks for one may have given it elsewhere.
func permitted(a *call.Call) noun.Noun[permit] {
	return noun.Noun[permit]{Call: a, Is: "rule or grant", Are: "rules and grants", Path: "socrates permission",
		Rows: noun.Found(func(context.Context, noun.Query) ([]permit, error) { return permits(a) }),
		Line: permitLine,
		Wrap: func(all []permit) any {
			res := permissions{Rules: []ruleRow{}, Grants: []kept.Grant{}}
			for _, p := range all {
				switch {
				case p.rule != nil:
					res.Rules = append(res.Rules, *p.rule)
				case p.grant != nil:
					res.Grants = append(res.Grants, *p.grant)
				default:
					res.Mode, res.ModeFrom = p.mode, p.from
				}
			}
			return res
		},
		Foot: func(shown []permit) string {
			if i := slices.IndexFunc(shown, func(p permit) bool { return p.grant != nil }); i >= 0 {
				return "\nRevoke one: socrates permission revoke " + strconv.Itoa(shown[i].grant.ID) + "\n"
			}
			if len(shown) == 1 && shown[0].rule == nil {
				return "\nNo rules and no grants. To add a rule: socrates config set permission.rules \"allow bash go test *\"\n"
			}
			return ""
		}}
}

func permits(a *call.Call) ([]permit, error) {
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	file, err := a.Home.Gate.Grants()
	if err != nil {
		return nil, err
	}
	mode := permit{mode: cfg.String("permission.mode")}
	for _, o := range cfg.Explain("permission.mode") {
		if o.Wins {
			mode.from = o.Place()
		}
	}
	all := []permit{mode}
	for _, line := range cfg.Rules() {
		r, err := home.ReadRule(line)
		if err != nil {
			return nil, err
		}
		from := line.File
		if line.Line > 0 {
			from = fmt.Sprintf("%s:%d", line.File, line.Line)
		}
		all = append(all, permit{rule: &ruleRow{r.String(), from}})
	}
	grants, err := file.All()
	for _, g := range grants {
		all = append(all, permit{grant: &g})
	}
	return all, err
}

// permitLine formats a rule with the line it comes from, and a grant with what it depends on.
func permitLine(p permit) string {
	switch {
	case p.rule != nil:
		return fmt.Sprintf("\n%s\n  %s\n", out.Wrap(p.rule.Rule, 79, "  "), p.rule.From)
	case p.grant == nil:
		return fmt.Sprintf("mode %s (%s)\n", p.mode, p.from)
	}
	g := p.grant
	where := g.Project
	if g.Dir != "" && g.Dir != g.Project {
		where += ", run in " + g.Dir
	}
	if files := slices.Sorted(maps.Keys(g.Files)); len(files) > 0 {
		where += ", as long as " + strings.Join(files, ", ") + " stays unchanged"
	}
	return fmt.Sprintf("\n%-3d %s\n    in %s\n    granted %s%s\n", g.ID,
		strings.ReplaceAll(out.Wrap(g.Tool+": "+clean.Reveal(g.Text), 75, ""), "\n", "\n    "), where,
		g.Given.Local().Format("2006-01-02 15:04"), until(g.Expires))
}

// until formats the end of a grant; empty: it has none.
func until(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return ", until " + t.Local().Format("2006-01-02 15:04")
}

// Without numbers file.Revoke revokes all, which only --all may ask for: hence the check first.
func revokeGrants(a *call.Call, args []string, all bool) error {
	switch {
	case all && len(args) > 0:
		return failure.Usage("use either --all or numbers", "list grants with: socrates permission list")
	case !all && len(args) == 0:
		return failure.Usage("no grant given", "list grants with: socrates permission list")
	}
	var ids []int
	for _, arg := range args {
		id, err := strconv.Atoi(arg)
		if err != nil {
			return failure.Usage(fmt.Sprintf("%q is not the number of a grant", arg), "list grants with: socrates permission list")
		}
		ids = append(ids, id)
	}
	file, err := a.Home.Gate.Grants()
	if err != nil {
		return err
	}
	if err := file.Revoke(ids...); errors.Is(err, kept.ErrNone) {
		return failure.Usage(err.Error(), "list grants with: socrates permission list")
	} else if err != nil {
		return err
	}
	if all {
		a.Out.Tell("Revoked all grants. Your rules in permission.rules still apply.\n")
		return nil
	}
	a.Out.Tell("Revoked: " + strings.Join(args, ", ") + ".\n")
	return nil
}
