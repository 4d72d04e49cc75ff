package slash

import (
	"context"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/attach"
	"github.com/socrates-cli/socrates/internal/clipboard"
	"github.com/socrates-cli/socrates/internal/engine/turns"
)

type mention struct {
	name string
	at   bool // written with an @; otherwise an absolute path, as terminals paste it
}

// mentions returns the files that a text may name: words after an @, and absolute paths of pictures, PDFs and
// notebooks. A name with blanks is in quotes, or has a backslash before each.
func mentions(text string) (out []mention) {
	for i := 0; i < len(text); {
		if strings.IndexByte(" \t\n\r", text[i]) >= 0 {
			i++
			continue
		}
		at := text[i] == '@'
		if at {
			i++
		}
		word, end := wordAt(text, i)
		i = end
		if !at {
			word = dropped(word)
		}
		if word != "" {
			out = append(out, mention{word, at})
		}
	}
	return out
}

// wordAt returns the word at an index without its quotes and backslashes, and its end. Punctuation at the end
// of an unquoted word belongs to the sentence.
func wordAt(text string, i int) (word string, end int) {
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		if n := strings.IndexByte(text[i+1:], text[i]); n >= 0 {
			return text[i+1 : i+1+n], i + n + 2
		}
	}
	var b strings.Builder
	for ; i < len(text) && strings.IndexByte(" \t\n\r", text[i]) < 0; i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(" ()'\"&\\", text[i+1]) >= 0 {
			i++
		}
		b.WriteByte(text[i])
	}
	return strings.TrimRight(b.String(), ".,;:!?)"), i
}

// dropped returns the absolute path of a word if it names an attachable file; empty: it is a plain word.
func dropped(word string) string {
	if u, err := url.Parse(word); err == nil && u.Scheme == "file" {
		word = filepath.FromSlash(u.Path)
	}
	if rest, ok := strings.CutPrefix(word, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			word = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(word) || !attach.Named(word) {
		return ""
	}
	return word
}

// has reports whether the project has a file that is in no list of its files: one that is new, or that git
// ignores.
func (env *Env) has(file string) bool {
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return false
	}
	info, err := os.Stat(filepath.Join(env.Dir, filepath.FromSlash(file)))
	return err == nil && info.Mode().IsRegular()
}

// Mention adds the files that a text names with an @ to the context. attached go with the text instead:
// pictures, PDFs and notebooks, also by an absolute path if a person types. missing are names that look like
// files and do not exist. A word counts as a file only if the project has it or it looks like one: a slash or a
// short extension. @anna stays a name. The file may be followed by lines, as in @main.go:10-40.
func (env *Env) Mention(ctx context.Context, text string) (attached, missing []string, err error) {
	attached, held, missing := env.mentioned(text, func() []string { return env.Files(ctx) })
	for _, name := range held {
		if err == nil {
			_, err = env.Engine.Do(ctx, turns.Hold{Tree: env.Tree, Name: name})
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return attached, missing, nil
}

// mentioned sorts the names in a text: files to attach, files for the context, and missing ones. all are the
// files of the project.
func (env *Env) mentioned(text string, all func() []string) (attached, held, missing []string) {
	var files []string
	for _, m := range mentions(text) {
		if path := dropped(m.name); path != "" && env.Drops {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				attached = append(attached, path)
				continue
			}
			if clipboard.Pasted(path) {
				missing = append(missing, path)
				continue
			}
		}
		if !m.at {
			continue
		}
		if files == nil {
			files = all()
		}
		file, _, _ := strings.Cut(m.name, ":")
		switch ext := path.Ext(file); {
		case slices.Contains(files, file) || env.has(file):
			if attach.Named(file) {
				attached = append(attached, file)
			} else {
				held = append(held, m.name)
			}
		case strings.Contains(file, "/") || len(ext) > 1 && len(ext) <= 5: // otherwise it may be a person's name
			missing = append(missing, file)
		}
	}
	return attached, held, missing
}
