package page

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/team"
)

// warden has the page of a hub: people, sharing, and money.
type warden struct{ *site }

// noHub refuses what needs a hub.
func noHub(h *api.Host) error {
	if h.Hub != nil {
		return nil
	}
	return &api.Problem{Status: http.StatusNotFound,
		Detail: "This server belongs to one person and is not a hub", Hint: "Start one: socrates hub"}
}

// shownOnce holds requested sign-in links until the page of the requesting browser shows them.
type shownOnce struct {
	mu sync.Mutex
	of map[string]string // by the key of the asking browser
}

// put keeps a link; take returns and removes it.
func (o *shownOnce) put(page, link string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[string]string{}
	}
	o.of[page] = link
}

func (o *shownOnce) take(page string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	link := o.of[page]
	delete(o.of, page)
	return link
}

// roles maps scopes to the roles of people.
var roles = map[guard.Scope]team.Role{guard.Read: team.Reader, guard.Debate: team.Debater, guard.Agent: team.Agent, guard.Admin: team.Admin}

// hubPage is that page while it is written.
type hubPage struct {
	*sheet
	r *http.Request
}

// hub shows everybody what concerns them, and admins everything.
func (s *warden) hub(r *http.Request, p *sheet) error {
	c, _ := s.guard.Who(r)
	if err := noHub(s.Host); err != nil {
		return err
	}
	line := "You run this hub."
	if c.Who != "" {
		line = "You are " + c.Who + ", your role is " + string(roles[c.Scope]) + "."
	}
	p.part("/hub", "Hub", line)
	v := hubPage{sheet: p, r: r}
	if link := s.links.take(c.Page); link != "" {
		p.link = link
		p.put(`<section class="sec"><header><h2>Sign-in link</h2></header><p>Works once, within 5 minutes:</p>` +
			`<p class="cmd"><code>` + linkMark + `</code></p></section>`)
	}
	quotas, err := s.Hub.Quotas(r.Context())
	if err != nil {
		return err
	}
	spent, err := s.Hub.Spent(r.Context(), time.Now().UTC().AddDate(0, 0, -29))
	if err != nil {
		return err
	}
	admin := c.Scope.Covers(guard.Admin)
	if admin {
		if err := s.team(v); err != nil {
			return err
		}
	} else {
		quotas = slices.DeleteFunc(quotas, func(q team.Quota) bool { return q.Kind != team.OfPerson || q.Name != c.Who })
		spent = s.Theirs(spent, c.Who)
	}
	v.quotas(quotas, admin)
	v.spending(spent)
	if admin {
		log, err := s.Hub.Audit(r.Context())
		if err != nil {
			return err
		}
		v.log(log[:min(50, len(log))])
	}
	return nil
}

// team shows people, workers and what is shared.
func (s *warden) team(v hubPage) error {
	people, err := s.Hub.People(v.r.Context())
	if err != nil {
		return err
	}
	v.put(`<section class="sec"><header><h2>People</h2><p>A role takes effect with the next request.</p></header><ul class="rows">`)
	for _, p := range people {
		v.put(`<li><div><span class="t">%s</span><p class="dim">%s since %s</p></div><div class="btns">`, p.Name, p.Login,
			p.Since.Format("2006-01-02"))
		v.role(p)
		v.put("%s%s</div></li>", button("/hub/people", "Sign-in link", "bare", "", "", "name", p.Name, "verb", "link"),
			button("/hub/people", "Remove", "bare", "", "Shut "+p.Name+" out and revoke their tokens?", "name", p.Name, "verb", "remove"))
	}
	v.put(`</ul>%s<input type="hidden" name="verb" value="enter"><input type="hidden" name="role" value="debater">`+
		`<label class="vh" for="person">Name</label><input id="person" name="name" required placeholder="Name of a new person">`+
		`<label class="vh" for="login">Login</label><input id="login" name="login" placeholder="E-mail address at the sign-in provider">`+
		`<button class="btn">Add</button></form></section>`, form("/hub/people", "filter"))
	shares, err := s.Hub.Shares(v.r.Context())
	if err != nil {
		return err
	}
	workers, err := s.Hub.Workers(v.r.Context())
	if err != nil {
		return err
	}
	v.put(`<section class="sec"><header><h2>Workers</h2><p>Invite one: <code>socrates hub invite NAME</code></p></header><ul class="rows">`)
	if len(workers) == 0 {
		v.put(`<li><p class="dim">No workers yet.</p></li>`)
	}
	for _, w := range workers {
		var seats []string
		for _, seat := range w.Offer.Seats {
			seats = append(seats, seat.Spec)
		}
		v.put(`<li><div><span class="t">%s</span><p>%s, %d running, %d done</p><p class="dim">%s</p></div><div class="btns">`, w.Name,
			w.State, w.Busy, w.Done, strings.Join(seats, ", "))
		v.share(shareOf(shares, team.OfWorker, w.Name))
		v.put("%s%s</div></li>", button("/hub/workers", "Drain", "bare", "", "", "name", w.Name, "verb", "drain"),
			button("/hub/workers", "Revoke", "bare", "", "Shut "+w.Name+" out?", "name", w.Name, "verb", "revoke"))
	}
	v.put(`</ul></section>`)
	projects, err := s.Projects(v.r.Context())
	if err != nil {
		return err
	}
	v.put(`<section class="sec"><header><h2>Projects</h2></header><ul class="rows">`)
	for _, p := range projects {
		v.put(`<li><div><span class="t">%s</span><p><code>%s</code></p></div><div class="btns">`, base(p.Folder), p.Folder)
		v.share(shareOf(shares, team.OfProject, p.Folder))
		v.put("</div></li>")
	}
	v.put(`</ul></section>`)
	return nil
}

// shareOf returns the sharing of a thing; everybody sees what was never shared.
func shareOf(shares []team.Share, kind, name string) team.Share {
	if i := slices.IndexFunc(shares, func(s team.Share) bool { return s.Kind == kind && s.Name == name }); i >= 0 {
		return shares[i]
	}
	return team.Share{Kind: kind, Name: name, People: []string{team.Everybody}}
}

// role shows the form for a person's role.
func (v hubPage) role(p team.Person) {
	v.put(`%s<input type="hidden" name="verb" value="enter"><input type="hidden" name="name" value="%s"><input type="hidden" name="login" `+
		`value="%s"><select name="role" aria-label="Role of %s">`, form("/hub/people", "inline"), p.Name, p.Login, p.Name)
	for _, role := range team.Roles {
		chosen := Raw("")
		if role == p.Role {
			chosen = " selected"
		}
		v.put(`<option%s>%s</option>`, chosen, string(role))
	}
	v.put(`</select><button class="btn" aria-label="Save the role of %s">Save</button></form>`, p.Name)
}

// share shows who sees a worker or a project.
func (v hubPage) share(s team.Share) {
	v.put(`%s<input type="hidden" name="kind" value="%s"><input type="hidden" name="name" value="%s">`, form("/hub/shares", "inline"),
		s.Kind, s.Name)
	if s.Kind == team.OfWorker {
		v.put(`<input name="owner" value="%s" placeholder="owner" aria-label="Owner of %s">`, s.Owner, s.Name)
	}
	v.put(`<input name="people" value="%s" placeholder="nobody" aria-label="Who sees %s">`+
		`<button class="btn" aria-label="Save who sees %s">Save</button></form>`, strings.Join(s.People, ", "), s.Name, s.Name)
}

// quotas shows limits, with what is used of them.
func (v hubPage) quotas(list []team.Quota, admin bool) {
	v.put(`<section class="sec"><header><h2>Quotas</h2><p>A call that does not fit is not sent.</p></header>`)
	if len(list) == 0 {
		v.put(`<p class="dim">No quotas.</p>`)
	} else {
		v.put(`<div class="wide" tabindex="0" role="region" aria-label="Quotas"><table><thead><tr><th scope="col">Applies to</th>` +
			`<th scope="col">Period</th><th scope="col" class="n">Dollars</th><th scope="col" class="n">Tokens</th></tr></thead><tbody>`)
		for _, q := range list {
			v.put(`<tr><td>%s %s</td><td>%s</td><td class="n">$%.2f of %s</td><td class="n">%d of %s</td></tr>`, q.Kind, q.Name,
				string(q.Period), q.UsedUSD, dollars(q.USD), q.UsedTokens, tokens(q.Tokens))
		}
		v.put(`</tbody></table></div>`)
	}
	if admin {
		v.put(`%s<select name="kind" aria-label="Kind"><option>person</option><option>pool</option><option>project</option></select>`+
			`<input name="name" required placeholder="Name or folder" aria-label="Name or folder"><input name="usd" inputmode="decimal" `+
			`placeholder="Dollars" aria-label="Dollars"><input name="tokens" inputmode="numeric" placeholder="Tokens" aria-label="Tokens">`+
			`<select name="period" aria-label="Period"><option>month</option><option>day</option></select>`+
			`<button class="btn">Set</button></form>`,
			form("/hub/quotas", "filter"))
	}
	v.put(`</section>`)
}

func dollars(limit float64) string {
	if limit == 0 {
		return "any"
	}
	return "$" + strconv.FormatFloat(limit, 'f', 2, 64)
}

func tokens(limit int) string {
	if limit == 0 {
		return "any"
	}
	return strconv.Itoa(limit)
}

// spending shows who triggered which cost, and who paid.
func (v hubPage) spending(lines []team.Line) {
	v.put(`<section class="sec"><header><h2>Spent in 30 days</h2></header>`)
	if len(lines) == 0 {
		v.put(`<p class="dim">Nothing was spent.</p></section>`)
		return
	}
	v.put(`<div class="wide" tabindex="0" role="region" aria-label="Spending"><table><thead><tr><th scope="col">Day</th>` +
		`<th scope="col">Triggered by</th><th scope="col">Paid by</th><th scope="col">Worker</th><th scope="col">Project</th>` +
		`<th scope="col" class="n">Calls</th><th scope="col" class="n">Dollars</th>` +
		`<th scope="col" class="n">Tokens</th></tr></thead><tbody>`)
	for _, l := range lines {
		v.put(`<tr><td class="nowrap">%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td class="n">%d</td><td class="n">$%.4f</td>`+
			`<td class="n">%d</td></tr>`, l.Day, cmp.Or(l.Person, socket.Owner), cmp.Or(l.Payer, socket.Owner),
			cmp.Or(l.Pool, "–"), cmp.Or(base(l.Project), "–"),
			l.Calls, l.USD, l.Tokens)
	}
	v.put(`</tbody></table></div></section>`)
}

// log shows who changed what, and what was refused.
func (v hubPage) log(lines []lease.AuditLine) {
	v.put(`<section class="sec"><header><h2>Log</h2><p>The newest 50; all: <code>socrates hub audit</code></p></header><ul class="rows">`)
	for _, e := range lines {
		v.put(`<li><div><span class="t">%s %s</span><p class="dim">%s %s</p></div><div class="small dim nowrap">%s</div></li>`, e.Who,
			e.What, e.Task, e.Why, e.At.UTC().Format("2006-01-02 15:04"))
	}
	v.put(`</ul></section>`)
}

// setPerson adds, changes or removes a person, or makes a link that signs them in.
func (s *actor) setPerson(r *http.Request, c guard.Caller) (string, error) {
	name := r.PostForm.Get("name")
	if err := noHub(s.Host); err != nil {
		return "", err
	}
	q := s.request(r, c)
	switch verb := r.PostForm.Get("verb"); {
	case verb == "remove":
		return "/hub", q.Expel(r.Context(), name)
	case verb == "link":
		people, err := s.Hub.People(r.Context())
		if err != nil || !slices.ContainsFunc(people, func(p team.Person) bool { return p.Name == name }) {
			return "", cmp.Or(err, error(&api.Problem{Status: http.StatusNotFound, Detail: "No person named " + name}))
		}
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		s.links.put(c.Page, scheme+r.Host+"/in#"+s.guard.Link(name))
		return "/hub", nil
	}
	return "/hub", bad(s.Hub.Enter(r.Context(), team.Person{Name: name, Role: team.Role(r.PostForm.Get("role")),
		Login: r.PostForm.Get("login")}))
}

// bad converts a refusal of the hub: it says what was wrong with the input.
func bad(err error) error {
	if err == nil {
		return nil
	}
	return &api.Problem{Status: http.StatusBadRequest, Detail: err.Error()}
}

// setShare sets who sees a worker or a project.
func (s *actor) setShare(r *http.Request, _ guard.Caller) (string, error) {
	if err := noHub(s.Host); err != nil {
		return "", err
	}
	people := strings.FieldsFunc(r.PostForm.Get("people"), func(c rune) bool { return c == ',' || c == ' ' })
	people = slices.DeleteFunc(people, func(p string) bool { return p == team.Nobody })
	return "/hub", bad(s.Hub.Share(r.Context(), team.Share{Kind: r.PostForm.Get("kind"), Name: r.PostForm.Get("name"),
		Owner: strings.TrimSpace(r.PostForm.Get("owner")), People: people}))
}

// setQuota sets a limit, or removes it.
func (s *actor) setQuota(r *http.Request, _ guard.Caller) (string, error) {
	if err := noHub(s.Host); err != nil {
		return "", err
	}
	q := team.Quota{Kind: r.PostForm.Get("kind"), Name: strings.TrimSpace(r.PostForm.Get("name")),
		Period: team.Period(r.PostForm.Get("period"))}
	var err error
	if text := strings.TrimSpace(r.PostForm.Get("usd")); text != "" {
		q.USD, err = strconv.ParseFloat(text, 64)
	}
	if text := strings.TrimSpace(r.PostForm.Get("tokens")); err == nil && text != "" {
		q.Tokens, err = strconv.Atoi(text)
	}
	if err == nil {
		err = s.Hub.Limit(r.Context(), q)
	}
	return "/hub", bad(err)
}

// setWorker drains a worker, or shuts it out.
func (s *actor) setWorker(r *http.Request, _ guard.Caller) (string, error) {
	if err := noHub(s.Host); err != nil {
		return "", err
	}
	name := r.PostForm.Get("name")
	switch r.PostForm.Get("verb") {
	case "drain":
		return "/hub", bad(s.Hub.Drain(r.Context(), name))
	case "revoke":
		return "/hub", bad(s.Hub.Revoke(r.Context(), name))
	}
	return "", &api.Problem{Status: http.StatusBadRequest, Detail: "The verb must be drain or revoke"}
}
