package adopt

import (
	"errors"
	"strconv"
	"strings"
)

// errTable is about the file as a whole: what is not understood in part is not used at all.
var errTable = errors.New("unsupported TOML")

// parse reads a TOML file: tables, keys with dots and quotes, texts of all four kinds, lists, tables in braces, true and false. Other
// values are kept as the text they are written as, lists of tables are passed over.
// It is as much of TOML as settings of agents use: what it cannot read is an error, and nothing is read otherwise than
// it is meant. A dependency for two files would weigh more than this.
func parse(raw string) (map[string]any, error) {
	r := &reader{rest: strings.ReplaceAll(raw, "\r\n", "\n")}
	doc := map[string]any{}
	at := doc
	for r.blank(true); r.rest != ""; r.blank(true) {
		if list := strings.HasPrefix(r.rest, "[["); list || r.rest[0] == '[' {
			close := map[bool]string{true: "]]", false: "]"}[list]
			r.rest = r.rest[len(close):]
			keys, err := r.key()
			if err != nil || !r.take(close) {
				return nil, errTable
			}
			if list {
				at = map[string]any{} // of many, of which none is used here
			} else if at = below(doc, keys); at == nil {
				return nil, errTable
			}
		} else if err := r.entry(at); err != nil {
			return nil, err
		}
		if r.blank(false); r.rest != "" && r.rest[0] != '\n' {
			return nil, errTable
		}
	}
	return doc, nil
}

// below is the table at keys, which is made if it is missing; nil: the name is already used.
func below(in map[string]any, keys []string) map[string]any {
	for _, key := range keys {
		next, ok := in[key].(map[string]any)
		if !ok {
			if in[key] != nil {
				return nil
			}
			next = map[string]any{}
			in[key] = next
		}
		in = next
	}
	return in
}

// reader is what is left of a file.
type reader struct {
	rest  string
	depth int // of lists and tables in braces
}

// blank passes over blanks, and with lines over ends of lines and comments; without, over a comment at the end of a line.
func (r *reader) blank(lines bool) {
	for {
		r.rest = strings.TrimLeft(r.rest, " \t")
		if strings.HasPrefix(r.rest, "#") {
			end := strings.IndexByte(r.rest, '\n')
			if end < 0 {
				end = len(r.rest)
			}
			r.rest = r.rest[end:]
		}
		if !lines || !strings.HasPrefix(r.rest, "\n") {
			return
		}
		r.rest = r.rest[1:]
	}
}

// take passes over a mark, if it is next.
func (r *reader) take(mark string) bool {
	r.rest = strings.TrimLeft(r.rest, " \t")
	rest, ok := strings.CutPrefix(r.rest, mark)
	r.rest = rest
	return ok
}

// key reads the parts of a key.
func (r *reader) key() (keys []string, err error) {
	for {
		r.rest = strings.TrimLeft(r.rest, " \t")
		text, left, err := quoted(r.rest)
		switch n := len(r.rest) - len(strings.TrimLeft(r.rest, bare)); {
		case err != nil || text == nil && n == 0:
			return nil, errTable
		case text != nil:
			keys, r.rest = append(keys, *text), left
		default:
			keys, r.rest = append(keys, r.rest[:n]), r.rest[n:]
		}
		if !r.take(".") {
			return keys, nil
		}
	}
}

// bare are the letters of keys that need no quotes.
const bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// entry reads a key and its value into a table.
func (r *reader) entry(in map[string]any) error {
	keys, err := r.key()
	if err != nil || !r.take("=") {
		return errTable
	}
	last := len(keys) - 1
	if in = below(in, keys[:last]); in == nil || in[keys[last]] != nil {
		return errTable
	}
	in[keys[last]], err = r.value()
	return err
}

// mostDepth bounds lists within lists.
const mostDepth = 20

// value reads what is behind an equals sign, or an element of a list.
func (r *reader) value() (any, error) {
	r.rest = strings.TrimLeft(r.rest, " \t")
	if r.depth++; r.depth > mostDepth {
		return nil, errTable
	}
	defer func() { r.depth-- }()
	if text, left, err := quoted(r.rest); err != nil || text != nil {
		if err != nil {
			return nil, err
		}
		r.rest = left
		return *text, nil
	}
	switch {
	case r.take("["):
		list := []any{}
		for r.blank(true); !r.take("]"); r.blank(true) {
			one, err := r.value()
			if err != nil {
				return nil, err
			}
			list = append(list, one)
			if r.blank(true); !r.take(",") && !strings.HasPrefix(r.rest, "]") {
				return nil, errTable
			}
		}
		return list, nil
	case r.take("{"):
		in := map[string]any{}
		for !r.take("}") {
			if err := r.entry(in); err != nil {
				return nil, err
			}
			if !r.take(",") && !strings.HasPrefix(r.rest, "}") {
				return nil, errTable
			}
		}
		return in, nil
	}
	end := strings.IndexAny(r.rest, ",]}#\n")
	if end < 0 {
		end = len(r.rest)
	}
	word := strings.TrimSpace(r.rest[:end])
	r.rest = r.rest[end:]
	switch word {
	case "":
		return nil, errTable
	case "true", "false":
		return word == "true", nil
	}
	return word, nil
}

// quoted reads one text at the beginning of s; nil: there is none.
func quoted(s string) (text *string, left string, err error) {
	for _, mark := range []string{`"""`, "'''", `"`, "'"} {
		body, ok := strings.CutPrefix(s, mark)
		if !ok {
			continue
		}
		end := ending(body, mark)
		if end < 0 || len(mark) == 1 && strings.Contains(body[:end], "\n") {
			return nil, "", errTable
		}
		value := body[:end]
		if len(mark) == 3 {
			value = strings.TrimPrefix(value, "\n")
		}
		if mark[0] == '"' {
			if value, err = unescape(value); err != nil {
				return nil, "", err
			}
		}
		return &value, body[end+len(mark):], nil
	}
	return nil, "", nil
}

// ending is where the mark that ends a text begins; -1: nowhere.
// A backslash in double quotes takes the next sign with it.
func ending(body, mark string) int {
	for i := 0; i+len(mark) <= len(body); i++ {
		if mark[0] == '"' && body[i] == '\\' {
			i++
		} else if strings.HasPrefix(body[i:], mark) {
			return i
		}
	}
	return -1
}

// unescape reads the escapes of a text in double quotes. A backslash at the end of a line takes the blanks after it along.
func unescape(s string) (string, error) {
	var b strings.Builder
	for s != "" {
		before, after, ok := strings.Cut(s, `\`)
		b.WriteString(before)
		if !ok {
			break
		}
		if trimmed := strings.TrimLeft(after, " \t"); strings.HasPrefix(trimmed, "\n") {
			s = strings.TrimLeft(trimmed, " \t\n")
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(`\`+after, '"')
		if err != nil {
			return "", errTable
		}
		b.WriteRune(r)
		s = tail
	}
	return b.String(), nil
}
