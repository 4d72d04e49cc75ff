package adopt

import (
	"errors"
	"strconv"
	"strings"
)

// errTable is about the file as a whole: what is not understood in part is not used at all.
var errTable = errors.New("not a table of texts")

// table reads the texts at the top of a TOML file: KEY = "…", '…', """…""" or ”'…”'. Other values are passed over.
// It is as much of TOML as such files use, and no more: a file with another shape is read as having fewer keys, never
// as having others. A dependency for two keys would weigh more than this.
func table(raw string) (map[string]string, error) {
	values := map[string]string{}
	rest := strings.ReplaceAll(raw, "\r\n", "\n")
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		key, value, ok := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		switch {
		case strings.HasPrefix(key, "["):
			return values, nil // a table below the top
		case !ok || strings.HasPrefix(key, "#"):
			rest = after
			continue
		}
		at := len(line) - len(strings.TrimLeft(value, " \t"))
		text, left, err := quoted(rest[at:])
		if err != nil {
			return nil, err
		}
		if left == "" && text == nil {
			rest = after
			continue
		}
		if text != nil {
			values[strings.Trim(key, `"'`)] = *text
		}
		_, rest, _ = strings.Cut(left, "\n")
	}
	return values, nil
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
