package page

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/socrates-cli/socrates/internal/engine/issues"
	"github.com/socrates-cli/socrates/internal/issue"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// clerk has the pages of issue drafts.
type clerk struct{ *site }

// issues lists the drafts of all projects, filtered by folder and by the words of their titles.
func (s *clerk) issues(r *http.Request, p *sheet) error {
	if _, err := s.list(r, p, "Issue drafts", "/runs"); err != nil {
		return err
	}
	in := listing(r)
	list, err := issues.In(s.Engine).List(r.Context(), "")
	if err != nil {
		return err
	}
	p.live("list")
	p.put(`<ul class="rows">`)
	n := 0
	for _, i := range list {
		if !api.Below(i.Dir, in.Folder) || !api.Contains(i.Title, in.Words) {
			continue
		}
		n++
		p.row(issuePath(i.Number), fmt.Sprintf("%d. %s", i.Number, i.Title), issueState(i)+", from "+madeFrom(i), base(i.Dir),
			when(i.Changed), "")
	}
	p.put("</ul>")
	if n == 0 {
		p.put(`<p class="dim">No issue drafts. Make one on the page of a decision or a run, or in a terminal: ` +
			`<code>socrates work issue new</code></p>`)
	}
	p.end()
	return nil
}

// issuePath returns the page of a draft.
func issuePath(number int) string { return "/i/" + strconv.Itoa(number) }

// issueState returns the state of a draft, in words.
func issueState(i issue.Issue) string {
	switch i.State() {
	case "filed":
		return "✓ filed"
	case "uncertain":
		return "! perhaps filed"
	}
	return "draft, version " + strconv.Itoa(i.Version)
}

// madeFrom returns the source of a draft.
func madeFrom(i issue.Issue) string {
	if i.Debate != "" {
		return "the decision " + i.Debate
	}
	return "the run " + i.Run
}

// issue shows a draft: its text to edit, a preview, and filing it. A filed draft cannot be edited here: it is changed
// where it was filed.
func (s *clerk) issue(r *http.Request, p *sheet) error {
	i, err := s.draft(r)
	if err != nil {
		return err
	}
	p.title, p.tab = i.Title, "/runs"
	from := pathOf("w", i.Run)
	if i.Debate != "" {
		from = pathOf("d", i.Debate) + "/decision"
	}
	p.put(`<p class="crumb"><a href="/?folder=%s">%s</a><span aria-hidden="true">›</span><a href="/issues">issue drafts</a>`+
		`<span aria-hidden="true">›</span><span>draft %d</span></p><div class="head"><div><h1>%s</h1><p class="dim">%s, from <a `+
		`href="%s">%s</a>`+
		`</p></div></div>`, Raw(queryEscape(i.Dir)), base(i.Dir), i.Number, i.Title, issueState(i), from, madeFrom(i))
	// It belongs to the forge from then on.
	if i.URL != "" {
		p.put(`<p class="good">✓ Filed as <a href="%s" rel="noreferrer">%s</a>. Change it there.</p>`, webOnly(i.URL), i.URL)
		p.put(`<section class="sec"><header><h2>Text</h2></header><div class="md">%s</div></section>`, prose(i.Body))
		return nil
	}
	if i.Refused != "" {
		p.put(`<p class="error" role="alert">✗ The last try failed: %s.</p>`, sentence(i.Refused))
	}
	if i.CutOff {
		p.put(`<p class="error" role="alert">! The last attempt was interrupted: the issue may already exist. Look before you file it ` +
			`again.</p>`)
	}
	s.issueForms(r, p, i)
	return nil
}

// Both forms carry the version that is shown: a draft that changed meanwhile is not overwritten or filed unread.
func (s *clerk) issueForms(r *http.Request, p *sheet, i issue.Issue) {
	p.put(`<div class="split"><div>%s<input type="hidden" name="version" value="%d"><div><label class="l" for="ti">Title</label>`+
		`<input id="ti" name="title" required maxlength="250" value="%s"></div><div><label class="l" for="bo">Text, in Markdown</label>`+
		`<textarea id="bo" name="body" rows="24" class="mono">%s</textarea></div><div class="btns tail">`+
		`<button class="btn go" data-key="Ctrl Enter">Save <kbd>Ctrl Enter</kbd></button></div></form></div>`,
		form(issuePath(i.Number)+"/save", "form"), i.Version, i.Title, i.Body)
	p.put(`<aside aria-label="File the issue"><section class="box"><h2>File it</h2>`)
	// Without a forge, or its program, the draft can still be edited.
	if to, err := issues.In(s.Engine).Target(r.Context(), i.Dir, ""); err != nil {
		p.put(`<p class="small warn">! %s.</p>`, sentence(api.ProblemOf(err).Detail))
	} else {
		p.put(`<p class="small">Version %d will be filed as an issue at</p><p class="mono small">%s</p><p class="small dim">with %s, `+
			`under `+
			`your login `+
			`on this machine. Save your changes first.</p>`, i.Version, to.Address, to.Program)
		fields := []string{"version", strconv.Itoa(i.Version)}
		// Whether it was filed is unknown; filing it twice is worse than asking.
		if i.CutOff {
			fields = append(fields, "again", "true")
		}
		p.put(`<div class="btns tail">%s</div>`, button(issuePath(i.Number)+"/file", "File the issue", "", "", "File version "+
			strconv.Itoa(i.Version)+" at "+to.Address+"? Others will read it.", fields...))
	}
	p.put(`<div class="btns tail">%s</div></section></aside></div>`, button(issuePath(i.Number)+"/delete", "Delete the draft", "bare", "",
		"Move the draft to the trash?"))
	p.put(`<section class="sec"><header><h2>Preview</h2><p>as saved</p></header><div class="md">%s</div></section>`,
		prose(i.Body))
}

// webOnly returns an address if it leads to the web, and else the page itself: a program printed it.
func webOnly(url string) string {
	// Any other scheme, such as javascript:, would run something in our page.
	if len(url) > 8 && (url[:8] == "https://" || url[:7] == "http://") {
		return url
	}
	return "#main"
}

// draft returns the one that the address names.
func (s *clerk) draft(r *http.Request) (issue.Issue, error) {
	n, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return issue.Issue{}, &api.Problem{Status: http.StatusNotFound, Detail: "No issue draft " + r.PathValue("number")}
	}
	return issues.In(s.Engine).Issue(r.Context(), n)
}

// newIssue makes a draft and opens it.
func (s *actor) newIssue(r *http.Request, _ guard.Caller) (string, error) {
	root, err := s.Engine.Do(context.WithoutCancel(r.Context()), issues.Draft{Debate: r.PostForm.Get("debate"),
		Run: r.PostForm.Get("run")})
	if err != nil {
		return "", err
	}
	nodes, err := s.Engine.Tree(r.Context(), root)
	i, _ := issue.Read(nodes)
	return issuePath(i.Number), err
}

// saveIssue stores the next version of a draft.
func (s *actor) saveIssue(r *http.Request, _ guard.Caller) (string, error) {
	n, version := formNumber(r)
	_, err := s.Engine.Do(context.WithoutCancel(r.Context()), issues.Edit{Number: n, Version: version, Title: r.PostForm.Get("title"),
		Body: r.PostForm.Get("body")})
	return issuePath(n), err
}

// fileIssue files a draft with the program and the login of the person; the form asked before.
func (s *actor) fileIssue(r *http.Request, _ guard.Caller) (string, error) {
	n, version := formNumber(r)
	_, err := s.Engine.Do(context.WithoutCancel(r.Context()), issues.File{Number: n, Version: version,
		Again: r.PostForm.Get("again") == "true"})
	return issuePath(n), err
}

// deleteIssue moves a draft to the trash.
func (s *actor) deleteIssue(r *http.Request, _ guard.Caller) (string, error) {
	n, _ := formNumber(r)
	_, err := s.Engine.Do(r.Context(), issues.Delete{Numbers: []int{n}})
	return "/issues", err
}

// formNumber returns the draft of a form, and the version that was on its page; 0 if there is none.
func formNumber(r *http.Request) (number, version int) {
	number, _ = strconv.Atoi(r.PathValue("number"))
	version, _ = strconv.Atoi(cmp.Or(r.PostForm.Get("version"), "-1"))
	return number, version
}

// draftButton offers to draft an issue from a decision or a run.
func draftButton(kind, name string) Raw {
	return button("/issues", "Draft an issue", "bare", "", "", kind, name)
}
