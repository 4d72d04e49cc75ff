package web

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// inline are the elements that do not break a line.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "del": true, "dfn": true, "em": true,
	"font": true, "i": true, "ins": true, "kbd": true, "mark": true, "q": true, "s": true, "samp": true, "small": true,
	"span": true, "strong": true, "sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "wbr": true,
}

// unseen are the elements whose content is not part of the page's text.
var unseen = map[string]bool{"script": true, "style": true, "template": true, "svg": true, "noscript": true, "iframe": true}

// blankLines are what is left where a page had blocks within blocks.
var blankLines = pattern.Of(`\s*\n`)

// readable is the text of an HTML page, with a line end for each block. It is a tokenizer and no parser: a page
// that is broken still gives its text.
func readable(page string) string {
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(page))
	hidden := ""
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken: // the end
			return blankLines().ReplaceAllString(out.String(), "\n")
		case html.TextToken:
			if hidden == "" {
				out.Write(tokens.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			tag, _ := tokens.TagName()
			name := string(tag)
			switch {
			case hidden == name && kind == html.EndTagToken:
				hidden = ""
			case hidden == "" && unseen[name] && kind == html.StartTagToken:
				hidden = name
			case hidden == "" && !inline[name]:
				out.WriteByte('\n')
			}
		}
	}
}
