package markdown

import "strings"

// blank reports whether a line is. A very long one never is.
func blank(line string) bool { return len(line) < sure && strings.TrimSpace(line) == "" }

// opens returns the fence with which a line opens a code block, and its indentation.
func opens(line string) (indent int, mark string) {
	rest := strings.TrimLeft(line, " ")
	indent = len(line) - len(rest)
	if len(line) >= sure || indent > 3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
		return 0, ""
	}
	info := strings.TrimLeft(rest, rest[:1])
	mark = rest[:len(rest)-len(info)]
	if len(mark) < 3 || mark[0] == '`' && strings.Contains(info, "`") {
		return 0, ""
	}
	return indent, mark
}

// closes reports whether a line ends the code that fence began.
func closes(line, fence string) bool {
	indent, mark := opens(line)
	return mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && blank(line[indent+len(mark):])
}

// item returns where the text of a list item begins if the line begins one; 0 if not.
func item(line string) int {
	n := 0
	switch {
	case line == "":
		return 0
	case line[0] == '-' || line[0] == '*' || line[0] == '+':
		n = 1
	default:
		for n < len(line) && n < 10 && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n == 0 || n == 10 || n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	}
	rest := line[n:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	spaces := len(rest) - len(strings.TrimLeft(rest, " "))
	if spaces == 0 || spaces > 4 || spaces == len(rest) {
		spaces = 1
	}
	return n + spaces
}

func firstWord(s string) string {
	if words := strings.Fields(s); len(words) > 0 {
		return words[0]
	}
	return ""
}
