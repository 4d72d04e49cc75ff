// Package export writes a conversation as text: a page for people, or a record that can be imported again.
package export

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/literal"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Conversation is a conversation as text in a format; at is the node to which md and html go, empty: the end of its branch.
// md and html are for people and cannot be imported; json and jsonl hold everything that tree import reads.
func Conversation(ctx context.Context, e *engine.Engine, t conversation.Tree, format, at string) (string, error) {
	switch format {
	// Records are whole or worth nothing: a part could not be verified or imported.
	case "json", "jsonl":
		if at != "" {
			return "", failure.Usage("--at works only with md and html", "json and jsonl export the whole conversation")
		}
		r, err := conversation.In(e).Record(ctx, t)
		if err != nil {
			return "", err
		}
		if format == "jsonl" {
			return r.Lines()
		}
		return r.JSON()
	case "md", "html":
		n, err := conversation.In(e).Locate(ctx, t, at)
		if err != nil {
			return "", err
		}
		path, err := conversation.In(e).Path(ctx, n.ID)
		if err != nil {
			return "", err
		}
		title, err := conversation.In(e).Title(ctx, t)
		if err != nil {
			return "", err
		}
		title = cmp.Or(title, t.Name)
		if format == "md" {
			return markdown(title, path), nil
		}
		return page(t, title, path), nil
	}
	return "", failure.Usage("--format "+format+" is not a valid format", "use md, html, json or jsonl")
}

// spokenParts are the parts of a talk: who, and what; code is set where it is to be shown as it is.
// The order is that of the path; the root, which only holds the name, is left out.
func spokenParts(path []tree.Node, put func(who, text string, code bool)) {
	for _, n := range path {
		amid := ""
		switch b := scene.ChatBody(n).(type) {
		case talk.Root:
			continue
		case material.Handle: // what the model saw of it, in the form it saw
			put(b.Name(), b.Face, true)
			continue
		case talk.Said:
			if b.Interjection != "" {
				amid = ", while it worked"
			}
		}
		for _, l := range outline.Of([]tree.Node{n}) {
			words, says := outline.Words(n)
			calls := n.Kind == string(talk.ExchangeKind) && l.Role == ""
			if says {
				put(cmp.Or(l.Role, map[bool]string{true: "Assistant"}[calls], n.Kind)+amid, words, false)
			}
			if calls || !says {
				put("", l.Text, true)
			}
		}
	}
}

// markdown is a talk as a page of Markdown.
func markdown(title string, path []tree.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", literal.Text(clean.Line(title)))
	spokenParts(path, func(who, text string, code bool) {
		if who != "" {
			fmt.Fprintf(&b, "\n## %s\n", literal.Text(clean.Line(who)))
		}
		if text = strings.TrimSpace(text); code {
			fence := "```"
			// A text that holds fences needs a longer one around it.
			for strings.Contains(text, fence) {
				fence += "`"
			}
			text = fence + "\n" + text + "\n" + fence
		}
		fmt.Fprintf(&b, "\n%s\n", text)
	})
	return b.String()
}
