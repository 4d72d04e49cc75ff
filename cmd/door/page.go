package door

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/serve/api"
)

//go:embed serve.md
var serveDoc string

// Page returns the page of docs/ on this program as a server. Tools, arguments and answers are taken from the types
// that serve them.
func (*Door) Page() string {
	var tools strings.Builder
	tools.WriteString("| tool | |\n|---|---|\n")
	for _, t := range door.Tools {
		fmt.Fprintf(&tools, "| `%s` | %s |\n", t.Name, t.Doc)
	}
	table := func(rows []door.Row) string {
		var b strings.Builder
		b.WriteString("| field | | |\n|---|---|---|\n")
		for _, r := range rows {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, r.Type, strings.ReplaceAll(r.Doc, "|", "\\|"))
		}
		return b.String()
	}
	page := strings.Replace(serveDoc, "{{tools}}", tools.String(), 1)
	page = strings.Replace(page, "{{arguments}}", table(door.Fields[door.Ask]()), 1)
	return strings.Replace(page, "{{answer}}", table(door.Fields[door.Answer]()), 1)
}

//go:embed http.md
var httpDoc string

// HTTPPage returns the page of docs/ on the web UI and the API.
func (*Door) HTTPPage() string {
	var b strings.Builder
	b.WriteString("| route | scope | | takes |\n|---|---|---|---|\n")
	for _, r := range api.Routes() {
		scope := string(r.Scope)
		if scope == "" {
			scope = "–"
		}
		takes := ""
		if names := r.Takes(); len(names) > 0 {
			takes = "`" + strings.Join(names, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Pattern(), scope, strings.ReplaceAll(r.Doc, "|", "\\|"), takes)
	}
	return strings.Replace(httpDoc, "{{routes}}", strings.TrimRight(b.String(), "\n"), 1)
}
