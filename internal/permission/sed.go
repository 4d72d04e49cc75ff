package permission

import (
	"errors"
	"strings"
)

// sedUnclear is the risk of a script that is not fully understood.
var sedUnclear = risk{unclear, "", "sed script may run programs or access other files"}

// sed is only analysed for scripts that print, edit and jump; its other commands run programs and access other files.
func (v analyzer) sed(c command) []risk {
	out := []risk{{kind: safe, why: "only reads"}}
	var scripts, files []string
	given, inPlace, only := false, false, false
	for i := 1; i < len(c.argv); i++ {
		a := c.argv[i]
		name, value, has := strings.Cut(a, "=")
		switch {
		case only || a == "-" || a == "" || a[0] != '-':
			files = append(files, a)
		case a == "--":
			only = true
		case (a == "-e" || a == "--expression") && i+1 < len(c.argv):
			i++
			given, scripts = true, append(scripts, c.argv[i])
		case name == "--expression" && has:
			given, scripts = true, append(scripts, value)
		case a == "--in-place":
			inPlace = true
		case a == "--quiet" || a == "--silent" || a == "--regexp-extended" || a == "--separate" || a == "--null-data" ||
			a == "--unbuffered" || a == "--posix" || a == "--sandbox":
		case strings.HasPrefix(a, "--"):
			return []risk{sedUnclear}
		default:
			rest := strings.TrimLeft(a[1:], "nErsuz")
			if rest != "" && (rest[0] != 'i' || strings.Trim(rest,
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-") != "") {
				return []risk{sedUnclear}
			}
			inPlace = inPlace || rest != ""
		}
	}
	if !given && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	if !sedOnlyEdits(strings.Join(scripts, "\n")) {
		return []risk{sedUnclear}
	}
	k := reads
	if inPlace {
		k = writes
	}
	for _, f := range files {
		out = append(out, v.touch(k, f))
	}
	return out
}

// sedOnlyEdits reports whether a sed script neither runs programs nor accesses files other than its arguments. It is parsed as sed does;
// what is not understood, or what seds parse in different ways, counts as doing more.
func sedOnlyEdits(script string) bool {
	s := sedScript{rest: script}
	for s.rest != "" {
		if s.command() != nil {
			return false
		}
	}
	return true
}

var errNotHarmless = errors.New("not tame")

// sedScript is the rest of a script to parse.
type sedScript struct{ rest string }

func (s *sedScript) skip(set string) { s.rest = strings.TrimLeft(s.rest, set) }

// command parses one command with its addresses. Only commands that are listed here are harmless; w, r, e and s///e are not.
func (s *sedScript) command() error {
	if s.skip(" \t\n;"); s.rest == "" {
		return nil
	}
	for range 2 {
		if err := s.address(); err != nil {
			return err
		}
		if s.skip(" \t"); !strings.HasPrefix(s.rest, ",") {
			break
		}
		s.rest = s.rest[1:]
		s.skip(" \t+~")
	}
	if s.skip(" \t!"); s.rest == "" {
		return errNotHarmless
	}
	name := s.rest[0]
	s.rest = s.rest[1:]
	switch name {
	case '{', '}':
		return nil
	case '#':
		s.line()
		return nil
	case 's':
		return s.substitute()
	case 'y':
		return s.parts(2, false, "")
	case 'a', 'i', 'c': // text up to the end of a line without a continuing backslash
		line := s.line()
		for ; strings.HasSuffix(line, `\`); line = s.line() {
			if strings.HasSuffix(line, `\\`) { // whether this continues depends on the number of backslashes, and on the sed
				return errNotHarmless
			}
		}
		return nil
	case 'b', 't', 'T', ':':
		label := strings.Trim(s.line(), " \t")
		if strings.ContainsAny(label, ";{} \t") { // some seds end a label there
			return errNotHarmless
		}
		return nil
	case 'q', 'Q', 'l', 'L':
		s.skip(" \t0123456789")
	case 'p', 'P', 'd', 'D', '=', 'n', 'N', 'g', 'G', 'h', 'H', 'x', 'z', 'F':
	default:
		return errNotHarmless
	}
	return s.end()
}

// end checks what follows a command.
func (s *sedScript) end() error {
	if s.skip(" \t"); s.rest == "" || strings.ContainsRune(";\n}#", rune(s.rest[0])) {
		return nil
	}
	return errNotHarmless
}

// line consumes the rest of the line.
func (s *sedScript) line() string {
	line, rest, _ := strings.Cut(s.rest, "\n")
	s.rest = rest
	return line
}

// address consumes one address, if there is one.
func (s *sedScript) address() error {
	switch {
	case s.rest == "":
	case s.rest[0] == '$':
		s.rest = s.rest[1:]
	case s.rest[0] >= '0' && s.rest[0] <= '9':
		s.skip("0123456789~")
	case s.rest[0] == '/' || s.rest[0] == '\\':
		if s.rest[0] == '\\' {
			s.rest = s.rest[1:]
		}
		if err := s.parts(1, true, "IM"); err != nil {
			return err
		}
	}
	return nil
}

// substitute consumes the rest of an s command. The flags e and w are not among the harmless ones.
func (s *sedScript) substitute() error {
	if err := s.parts(2, true, "gpiImM0123456789"); err != nil {
		return err
	}
	return s.end()
}

// parts consumes a separator and n texts that end with it, the first of which may be a pattern, and then flags.
func (s *sedScript) parts(n int, pattern bool, flags string) error {
	if s.rest == "" || strings.ContainsRune("\\\n; \t{}", rune(s.rest[0])) || s.rest[0] >= 0x80 {
		return errNotHarmless
	}
	sep := s.rest[0]
	s.rest = s.rest[1:]
	for part := range n {
		end := -1
		for i := 0; i < len(s.rest) && end < 0; i++ {
			switch c := s.rest[i]; {
			case c == '\\':
				i++
			case c == sep:
				end = i
			case c == '[' && pattern && part == 0:
				if i = bracketEnd(s.rest, i, sep); i < 0 {
					return errNotHarmless
				}
			}
		}
		if end < 0 {
			return errNotHarmless
		}
		s.rest = s.rest[end+1:]
	}
	s.skip(flags)
	return nil
}

// bracketEnd is the end of the character list that begins at start; negative: there is none, or seds may differ about
// where it or the pattern around it ends.
func bracketEnd(s string, start int, sep byte) int {
	i := start + 1
	if strings.HasPrefix(s[i:], "^") {
		i++
	}
	if strings.HasPrefix(s[i:], "]") { // a first ] belongs to the list
		i++
	}
	for ; i < len(s); i++ {
		switch {
		case s[i] == ']':
			return i
		case s[i] == sep || s[i] == '\n' || strings.HasPrefix(s[i:], `\]`) || strings.HasPrefix(s[i:], `\[`):
			return -1
		case s[i] == '\\':
			i++
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			end := strings.Index(s[i+2:], s[i+1:i+2]+"]")
			if end < 0 || strings.IndexByte(s[i:i+2+end], sep) >= 0 {
				return -1
			}
			i += end + 3
		}
	}
	return -1
}
