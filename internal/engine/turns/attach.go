package turns

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/attach"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// attachments are the attachments that the requests of a turn carry.
type attachments struct {
	lib   *Library
	bytes int
}

// collect returns what accompanies a message: the attachments as the conversation stores them, and the texts of the
// files. Everything is checked before anything is recorded. If the turn is refused, no node names what was stored, and
// it is purged.
func (c *attachments) collect(ctx context.Context, op Say, dir string, info llm.Info, path []tree.Node) (out []llm.Attachment,
	data string, err error) {
	all, texts := slices.Clip(op.Images), []string(nil)
	for _, name := range op.Attach {
		f, err := handle.Source{Dir: dir}.File(name)
		if err != nil {
			return nil, "", &engine.Refusal{Message: "cannot attach " + err.Error(), Hint: "without the @, the message is sent as text"}
		}
		if f.Text != "" {
			if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
				name = filepath.ToSlash(rel)
			}
			texts = append(texts, name+":\n"+f.Text)
		}
		all = append(all, f.Attachments...)
	}
	if len(all) == 0 {
		return nil, strings.Join(texts, "\n\n"), nil
	}
	if len(all) > attach.Most {
		return nil, "", &engine.Refusal{Message: fmt.Sprintf("%d attachments are too many", len(all)),
			Hint: fmt.Sprintf("a message can have at most %d", attach.Most)}
	}
	c.bytes = 0
	for _, m := range view.Messages(path) {
		for _, p := range m.Parts {
			if a, ok := p.(llm.Attachment); ok {
				c.bytes += a.Bytes()
			}
		}
	}
	for _, a := range all {
		if err := c.admit(info, a); err != nil {
			return nil, "", &engine.Refusal{Message: "cannot attach " + nameOf(a) + ": " + err.Error()}
		}
		if a, err = c.lib.storeAttachment(ctx, a); err != nil {
			return nil, "", err
		}
		out = append(out, a)
	}
	return out, strings.Join(texts, "\n\n"), nil
}

// nameOf is the name of an attachment for people.
func nameOf(a llm.Attachment) string {
	if a.Name != "" {
		return filepath.Base(a.Name)
	}
	return "the picture"
}

// admit returns why an attachment cannot be sent to the model; nil: it can, and it is counted.
func (c *attachments) admit(info llm.Info, a llm.Attachment) error {
	if a.MIME == llm.PDF && !info.PDF {
		return errors.New(info.ID + " does not accept PDFs; extract its text first, for example: pdftotext -layout FILE.pdf FILE.txt")
	}
	if text := attach.Printable(a.Data); c.lib.store.Clean(text) != text {
		return errors.New("it seems to contain a secret")
	}
	if c.bytes+a.Bytes() > attach.MostSent {
		return fmt.Errorf("the attachments of this conversation would be larger than %d MB; /compact leaves out earlier ones",
			attach.MostSent>>20)
	}
	c.bytes += a.Bytes()
	return nil
}

// storeAttachment stores the bytes of an attachment as a text, which a record can contain.
func (l *Library) storeAttachment(ctx context.Context, a llm.Attachment) (llm.Attachment, error) {
	if a.Data == nil {
		return a, nil
	}
	hash, err := l.store.PutBlob(ctx, attach.Pack(a.Data))
	a.Blob, a.Size, a.Data = hash, len(a.Data), nil
	return a, err
}

// storeAttachments returns the messages of an exchange as they are recorded: the bytes of attachments become texts of their own.
func (l *Library) storeAttachments(ctx context.Context, messages []llm.Message) ([]llm.Message, error) {
	out := slices.Clone(messages)
	for i, m := range out {
		if !attaches(m) {
			continue
		}
		out[i].Parts = slices.Clone(m.Parts)
		for j, p := range m.Parts {
			if a, ok := p.(llm.Attachment); ok {
				a, err := l.storeAttachment(ctx, a)
				if err != nil {
					return nil, err
				}
				out[i].Parts[j] = a
			}
		}
	}
	return out, nil
}

// attaches reports whether a message has attachments.
func attaches(m llm.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p llm.Part) bool { _, ok := p.(llm.Attachment); return ok })
}

// sendable returns messages with the bytes of their attachments. An attachment that the model does not accept, or that is lost, is only
// named.
func (c *attachments) sendable(ctx context.Context, info llm.Info, messages []llm.Message) []llm.Message {
	c.bytes = 0
	return c.loaded(ctx, info, messages)
}

// loaded is sendable for messages that are added to those already sent.
func (c *attachments) loaded(ctx context.Context, info llm.Info, messages []llm.Message) []llm.Message {
	for i, m := range messages {
		if !attaches(m) {
			continue
		}
		m.Parts = slices.Clone(m.Parts)
		for j, p := range m.Parts {
			if a, ok := p.(llm.Attachment); ok {
				m.Parts[j] = c.load(ctx, info, a)
			}
		}
		messages[i] = m
	}
	return messages
}

// load returns an attachment with its bytes, or its name.
func (c *attachments) load(ctx context.Context, info llm.Info, a llm.Attachment) llm.Part {
	if a.MIME == llm.PDF && !info.PDF {
		return llm.Text{Text: a.Label() + " (not sent: this model does not accept PDFs)"}
	}
	if a.Blob != "" {
		text, _ := c.lib.store.Blob(ctx, a.Blob)
		if a.Data = attach.Unpack(text); a.Data == nil {
			return llm.Text{Text: a.Label() + " (no longer kept)"}
		}
	}
	c.bytes += a.Bytes()
	return a
}
