// Package fence marks text in a prompt as data, and finds it again. A fence tells a model where text of others
// begins and ends; it does not make the model ignore what the text asks for. What acts on a reply must not rely on
// it.
package fence

import "strings"

// Block fences text as data under a tag of small letters. A closing tag inside the text is altered so that it cannot
// end the block early.
func Block(tag, text string) string {
	text = strings.ReplaceAll(text, "</"+tag, "<\\/"+tag)
	return "<" + tag + ">\n" + strings.TrimRight(text, "\n") + "\n</" + tag + ">\n"
}

// Blocks returns the fenced parts of a prompt by tag: the text between a line <tag> and the next line </tag>. The
// inside of a block is data, so a tag in it opens nothing. The first block of a tag counts. It is for models that
// follow rules or a script.
func Blocks(prompt string) map[string]string {
	blocks := map[string]string{}
	tag := ""
	var body strings.Builder
	for line := range strings.Lines(prompt) {
		bare := strings.TrimRight(line, "\r\n")
		switch {
		case tag == "" && isTag(bare):
			tag = bare[1 : len(bare)-1]
			body.Reset()
		case tag != "" && bare == "</"+tag+">":
			if _, ok := blocks[tag]; !ok {
				blocks[tag] = strings.TrimSuffix(body.String(), "\n")
			}
			tag = ""
		case tag != "":
			body.WriteString(line)
		}
	}
	return blocks
}

// isTag reports whether a line is nothing but an opening tag of small letters.
func isTag(line string) bool {
	name, ok := strings.CutPrefix(line, "<")
	if !ok {
		return false
	}
	name, ok = strings.CutSuffix(name, ">")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
}
