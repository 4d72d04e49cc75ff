package page

import (
	"net/http"

	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// projects lists the folders of work, each with its problems. A missing folder stays in the list until it is removed.
func (s *office) projects(r *http.Request, p *sheet) error {
	list, err := s.Projects(r.Context())
	if err != nil {
		return err
	}
	p.part("/projects", "Projects", "A folder becomes a project when you ask something there, or add it.")
	p.put(`%s<input type="hidden" name="verb" value="add"><label class="vh" for="add">Folder</label>`+
		`<input id="add" name="folder" required placeholder="Full path of a folder on this machine">`+
		`<button class="btn">Add</button></form>`, form("/projects", "filter"))
	p.put(`<ul class="rows">`)
	for _, one := range list {
		v := s.Validate(one.Folder)
		p.put(`<li><div><a class="t" href="/?folder=%s">%s</a>`, Raw(queryEscape(one.Folder)), base(one.Folder))
		if one.Default {
			p.put(` <span class="tag">default</span>`)
		}
		p.put(`<p><code>%s</code></p><p>%s, %s, %s &ensp;`, one.Folder, count(one.Debates, "debate"),
			count(one.Conversations, "conversation"), count(one.Runs, "run"))
		if v.Problem != "" {
			p.put(`<span class="bad">✗ %s</span>`, v.Problem)
		} else {
			p.put(`<span class="good">✓ valid</span> <span class="dim">%s, <a href="/settings?folder=%s">%s</a></span>`,
				map[bool]string{true: "git repository", false: "no git repository: agents work without clones"}[v.Git],
				Raw(queryEscape(one.Folder)), map[bool]string{true: "its own settings", false: "inherits your settings"}[v.Own])
		}
		p.put("</p>")
		for _, w := range v.Warnings {
			p.put(`<p class="warn">! %s</p>`, sentence(w))
		}
		p.put(`</div><div class="btns">`)
		if !one.Default && v.Problem == "" {
			p.put("%s", button("/projects", "Make default", "", "", "", "folder", one.Folder, "verb", "default"))
		}
		if !one.Default {
			p.put("%s", button("/projects", "Remove", "bare", "", "Remove "+base(one.Folder)+" from the list? Nothing is deleted.",
				"folder", one.Folder, "verb", "remove"))
		}
		p.put("</div></li>")
	}
	p.put("</ul>")
	return nil
}

// project adds, removes or prefers one.
func (s *actor) project(r *http.Request, c guard.Caller) (string, error) {
	_, err := api.SetProject(r.Context(), s.request(r, c), r.PostForm.Get("folder"), r.PostForm.Get("verb"))
	return "/projects", err
}
