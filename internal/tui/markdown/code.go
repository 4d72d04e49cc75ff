package markdown

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Code draws code in the colours of its language, if known. A line that is too long continues in further rows,
// with a mark.
func Code(t theme.Theme, lang, text string, width int) (lines []string) {
	return code(t, lang, clean.Text(text), max(width, least))
}

func code(t theme.Theme, lang, text string, width int) (lines []string) {
	text = strings.TrimSuffix(text, "\n")
	s := newScanner(t, lang)
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, codeRows(t, s.line(line), width)...)
	}
	return lines
}

func codeRows(t theme.Theme, p piece, width int) (rows []string) {
	line := p.text.String()
	for i, s := range hard(line, width, width-2) {
		row := paint(line, p.runs, s)
		if i > 0 {
			ink := theme.Decoration.And(t.Line)
			if line[s.from-1] == ' ' { // which is not drawn
				ink = theme.Decoration.And(ink)
			}
			row = ink.On(Mark) + row
		}
		rows = append(rows, row)
	}
	return rows
}

// scanner splits code into tokens, line by line. It is no parser: it knows comments, strings, numbers and
// words.
type scanner struct {
	theme theme.Theme
	lang  *language // nil: unknown
	open  *part     // a part that began on an earlier line and did not end
	tag   bool      // between the angles of markup
}

func newScanner(t theme.Theme, lang string) scanner { return scanner{theme: t, lang: find(lang)} }

// line draws the next line.
func (s *scanner) line(line string) (p piece) {
	if s.lang == nil || len(line) > longest {
		p.add(line, "")
		return p
	}
	if s.lang.whole != nil {
		p.add(line, s.lang.whole(s.theme, line))
		return p
	}
	for i := 0; i < len(line); {
		ink, n := s.next(line, i)
		p.add(line[i:i+n], ink)
		i += n
	}
	return p
}

// next returns the colour and the length of the token at i.
func (s *scanner) next(line string, i int) (theme.Ink, int) {
	if s.open != nil {
		return s.within(line, i, i)
	}
	for k := range s.lang.parts {
		part := &s.lang.parts[k]
		if strings.HasPrefix(line[i:], part.from) && s.starts(part, line, i) {
			s.open = part
			return s.within(line, i, i+len(part.from))
		}
	}
	c := line[i]
	switch {
	case s.lang.markup && c == '<' || s.tag && c == '>':
		s.tag = c == '<'
		n := 1
		for s.tag && i+n < len(line) && (letter(line[i+n]) || strings.IndexByte("/!?:-", line[i+n]) >= 0) {
			n++
		}
		return s.theme.Keyword, n
	case s.lang.markup && !s.tag:
		n := strings.IndexByte(line[i:], '<')
		if n < 0 {
			n = len(line) - i
		}
		return "", n
	case c >= '0' && c <= '9':
		n := 1
		for i+n < len(line) && (letter(line[i+n]) || line[i+n] == '.' && i+n+1 < len(line) && digit(line[i+n+1])) {
			n++
		}
		return s.theme.Number, n
	case letter(c):
		return s.word(line, i)
	}
	n := 1
	for i+n < len(line) && line[i+n] >= 0x80 {
		n++
	}
	return "", n
}

// within returns the rest of the open part.
func (s *scanner) within(line string, i, from int) (theme.Ink, int) {
	part := s.open
	ink := s.theme.String
	if part.comment {
		ink = s.theme.Comment
	}
	end := len(line)
	for k := from; part.to != "" && k < len(line); k++ {
		if part.escape && line[k] == '\\' {
			k++
			continue
		}
		if strings.HasPrefix(line[k:], part.to) {
			end = k + len(part.to)
			s.open = nil
			if !part.comment && s.key(line, end) {
				ink = s.theme.Symbol
			}
			return ink, end - i
		}
	}
	if !part.lines {
		s.open = nil
	}
	return ink, end - i
}

// starts reports whether a part can begin at i.
func (s *scanner) starts(p *part, line string, i int) bool {
	if p.spaced && i > 0 && line[i-1] != ' ' && line[i-1] != '\t' {
		return false
	}
	if p.letter { // one letter between quotes, not a name after one
		end := strings.Index(line[i+1:], p.to)
		return end > 0 && (end <= 4 || line[i+1] == '\\')
	}
	return !s.lang.markup || s.tag || p.comment
}

func (s *scanner) word(line string, i int) (theme.Ink, int) {
	n := 1
	for i+n < len(line) && (letter(line[i+n]) || digit(line[i+n]) || line[i+n] == '-' && s.lang.dashes) {
		n++
	}
	word := line[i : i+n]
	if s.lang.fold {
		word = strings.ToLower(word)
	}
	switch {
	case s.key(line, i+n):
		return s.theme.Symbol, n
	case s.lang.keywords[word]:
		return s.theme.Keyword, n
	case s.lang.values[word]:
		return s.theme.Number, n
	case i+n < len(line) && line[i+n] == '(':
		return s.theme.Symbol, n
	}
	return "", n
}

// key reports whether the word that ended at i is the name of a value.
func (s *scanner) key(line string, i int) bool {
	if s.lang.key == "" {
		return false
	}
	rest := strings.TrimLeft(line[i:], " ")
	if !strings.HasPrefix(rest, s.lang.key) {
		return false
	}
	return s.lang.key != ":" || len(rest) == 1 || rest[1] == ' ' || s.lang.tight
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
