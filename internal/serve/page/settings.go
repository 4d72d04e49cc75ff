package page

import (
	"net/http"
	"strings"

	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// settings lists all of them with their origin. Those that grant nothing have a form; for the others the command is
// shown. A stolen browser session can change only what grants nothing.
func (s *office) settings(r *http.Request, p *sheet) error {
	all, err := s.SettingsOf(r.Context(), r.URL.Query().Get("folder"))
	if err != nil {
		return err
	}
	own := "It has no settings: yours and the defaults apply."
	if all.Own {
		own = "It has its own settings, which can only narrow yours."
	}
	p.part("/settings", "Settings", "As they apply in "+all.Folder+". "+own)
	p.put(`<form class="filter" aria-label="Project"><select name="folder" aria-label="Project">`)
	list, err := s.Projects(r.Context())
	if err != nil {
		return err
	}
	for _, one := range list {
		if !one.Missing {
			p.option(one.Folder, base(one.Folder), one.Folder == all.Folder)
		}
	}
	p.put(`</select><button class="btn">Show</button></form>`)
	for _, w := range all.Warnings {
		p.put(`<p class="warn">! %s</p>`, sentence(w))
	}
	p.put(`<p class="dim small">Changes are written to <code>%s</code>. Settings that spend money, run programs or `+
		`widen read access are changed in a terminal: <code>socrates config set KEY VALUE</code></p>`, all.File)
	section := ""
	for _, one := range all.Items {
		name, _, _ := strings.Cut(one.Key, ".")
		// Keys of one section are adjacent.
		if name != section {
			p.endTable(section)
			section = name
			p.put(`<section class="sec"><header><h2>%s</h2></header><div class="wide" tabindex="0" role="region" aria-label="%s">`+
				`<table class="set"><thead><tr><th scope="col">Setting</th><th scope="col">Value</th>`+
				`<th scope="col">From</th></tr></thead><tbody>`,
				name, "Settings of "+name)
		}
		p.setting(one, all.Tag)
	}
	p.endTable(section)
	return nil
}

// endTable ends the table of a section, if one was begun.
func (p *sheet) endTable(section string) {
	if section != "" {
		p.put("</tbody></table></div></section>")
	}
}

// setting is a row; its form carries the tag of the file it was read from.
func (p *sheet) setting(one api.Setting, tag string) {
	p.put(`<tr><td><code>%s</code><br><span class="small dim">%s</span></td><td>`, one.Key, one.Doc)
	switch {
	case !one.Free && one.Value == "":
		p.put(`<span class="dim">not set</span>`)
	case !one.Free:
		p.put("<code>%s</code>", clip(one.Value, 200))
	// A choice cannot be mistyped.
	case len(one.Choices) > 0:
		p.put(`%s<input type="hidden" name="tag" value="%s"><select name="value" aria-label="%s">`,
			form("/settings/"+one.Key, "words"), tag, one.Key)
		for _, choice := range one.Choices {
			p.option(choice, choice, choice == one.Value)
		}
		p.put(`</select><button class="btn" aria-label="Save %s">Save</button></form>`, one.Key)
	default:
		p.put(`%s<input type="hidden" name="tag" value="%s"><input name="value" value="%s" aria-label="%s"><button class="btn" `+
			`aria-label="Save %s">Save</button></form>`, form("/settings/"+one.Key, "words"), tag, one.Value, one.Key, one.Key)
	}
	p.put(`</td><td class="small dim">%s`, one.Place)
	if one.Note != "" {
		p.put(`<br><span class="warn">! %s</span>`, one.Note)
	}
	p.put("</td></tr>")
}

// set changes one, unless the file was changed since the page was made.
func (s *actor) set(r *http.Request, c guard.Caller) (string, error) {
	if err := s.request(r, c).Owned(); err != nil {
		return "", err
	}
	return "/settings", s.Set(r.PathValue("key"), r.PostForm.Get("value"), r.PostForm.Get("tag"))
}

// phases shows what agents are told, phase by phase. Invalid pages are listed above the others.
func (s *office) phases(_ *http.Request, p *sheet) error {
	dir, err := s.Home.Pages.PhaseDir()
	if err != nil {
		return err
	}
	all, wrong := phase.All(dir)
	p.part("/phases", "Phases", "Instructions and limits of an agent in each phase.")
	p.put(`<p class="dim small">Yours are in <code>%s</code>. Your phase overrides the built-in one of the same name: `+
		`<code>socrates phases new NAME</code></p>`, dir)
	for _, err := range wrong {
		p.put(`<p class="warn">! %s</p>`, sentence(err.Error()))
	}
	for _, one := range all {
		origin := "built in"
		if one.File != "" {
			origin = one.File
		}
		p.put(`<section class="sec"><header><h2>%s</h2><p>%s</p></header><p>%s</p><p class="small dim">`,
			one.Name, origin, sentence(one.Doc))
		for _, fact := range [][2]string{{"model", one.Tier}, {"mode at most", one.Mode}, {"tools", strings.Join(one.Tools, ", ")},
			{"writes only", strings.Join(one.Writes, ", ")}, {"then", one.Next}} {
			if fact[1] != "" {
				p.put("%s: <b>%s</b> &ensp;", fact[0], fact[1])
			}
		}
		p.put(`</p><details><summary>Instructions</summary><pre class="out" tabindex="0">%s</pre></details></section>`, one.Prompt)
	}
	return nil
}
