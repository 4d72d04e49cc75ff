package export

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/markup"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

//go:embed page.css
var style string

// page is a talk as one page that loads nothing, in the order and with the words of the screen: what tools did is folded, what a person
// said stands in a band.
// Everything in it is escaped: it holds what models and pages of other machines said.
func page(t conversation.Tree, title string, path []tree.Node) string {
	c := scene.NewChat("")
	c.Load(t, path, nil)
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "+
		"content=\"width=device-width\">\n"+
		"<title>%[1]s</title>\n<style>%[2]s</style></head><body><main><h1>%[1]s</h1>\n", markup.Escape(clean.Line(title)), style)
	for i := range c.Entries {
		b.WriteString(part(&c.Entries[i]))
	}
	b.WriteString("</main></body></html>\n")
	return b.String()
}

// part is an entry of the page.
func part(e *scene.Entry) string {
	who := markup.Escape(clean.Line(e.Who))
	switch e.Sort {
	case scene.Said:
		you := "You" + map[bool]string{true: ", while it worked"}[e.Amid] + map[bool]string{true: ", aside"}[e.Aside]
		return fmt.Sprintf("<section class=\"you\"><h2>%s</h2><p>%s</p></section>\n", you, markup.Escape(strings.TrimSpace(e.Text)))
	case scene.Wrote:
		return fmt.Sprintf("<section>%s</section>\n", markup.Prose(e.Text))
	case scene.Answered:
		foot := []string{who}
		if n := e.Usage.Total(); n > 0 {
			foot = append(foot, markup.Escape(e.Usage.Money()))
		}
		if e.State != talk.Done && e.State != "" {
			foot = append(foot, markup.Escape(strings.TrimSuffix(string(e.State)+": "+e.Reason, ": ")))
		}
		return fmt.Sprintf("<section>%s<footer>%s</footer></section>\n", markup.Prose(e.Text), strings.Join(foot, " · "))
	// What a tool did is one line; what it printed, or changed, is behind it.
	case scene.Called:
		did, came := told.Call(clean.Line(e.Text), e.Took)
		class, mark := "", "✓"
		if e.Show.Failed {
			came, _ = told.Failed(e.Reason, e.Took)
			did = strings.TrimPrefix(did, "bash ")
		}
		if _, _, status := told.Status(e.Result); e.Show.Failed || status != "" {
			class, mark = " class=\"bad\"", "✗"
		}
		return folded(class, mark+" "+did, came, strings.TrimSpace(e.Show.Diff+"\n"+e.Result))
	case scene.Thought:
		return folded("", "Reasoning", "", e.Text)
	case scene.Held:
		return folded("", strings.Replace(e.Who, "bash:", "! ", 1), "", e.Text)
	case scene.Merged:
		return fmt.Sprintf("<section><h2>%s</h2>%s</section>\n", markup.Escape(clean.Line(e.Source())), markup.Prose(e.Text))
	// Permissions were the person's affair at the time and mean nothing to a reader.
	case scene.Asked:
		return ""
	}
	return fmt.Sprintf("<p class=\"note\">%s</p>\n", markup.Escape(e.Text))
}

// folded is a line with a text behind it.
func folded(class, line, note, text string) string {
	return fmt.Sprintf("<details%s><summary><code>%s</code> <small>%s</small></summary><pre>%s</pre></details>\n",
		class, markup.Escape(line), markup.Escape(note), markup.Escape(strings.TrimSpace(text)))
}
