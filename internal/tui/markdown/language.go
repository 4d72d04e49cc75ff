package markdown

import (
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// language is what the scanner knows of a language.
type language struct {
	names  string                                     // the first is our name for it
	parts  []part                                     // a longer beginning precedes a shorter one
	words  string                                     // keywords
	atoms  string                                     // words that are values
	key    string                                     // what follows the name of a value
	tight  bool                                       // the key's colon needs no space
	fold   bool                                       // case does not matter
	dashes bool                                       // words can contain them
	markup bool                                       // tags, and text between
	whole  func(t theme.Theme, line string) theme.Ink // for languages in which a line is one token

	keywords, values map[string]bool
}

// part is a comment or a string.
type part struct {
	from, to string // without to it ends with the line
	comment  bool
	escape   bool // a backslash escapes the next letter
	lines    bool // it can span several lines
	spaced   bool // it begins a line or follows a space
	letter   bool // it contains one letter
}

var (
	slashes = part{from: "//", comment: true}
	stars   = part{from: "/*", to: "*/", comment: true, lines: true}
	hash    = part{from: "#", comment: true, spaced: true}
	double  = part{from: `"`, to: `"`, escape: true}
	single  = part{from: "'", to: "'", escape: true}
	triple  = part{from: `"""`, to: `"""`, escape: true, lines: true}
	triples = part{from: "'''", to: "'''", escape: true, lines: true}
	markup  = part{from: "<!--", to: "-->", comment: true, lines: true}
)

const cWords = "break case catch class const continue default delete do else enum extern final for goto if inline namespace new private " +
	"protected public register return sizeof static struct switch template this throw try typedef typename union using virtual volatile " +
	"while auto bool char double float int long short signed unsigned void constexpr override noexcept "

// table is built when the first code is drawn: a command that draws none does not pay for it.
var table = sync.OnceValue(func() map[string]*language {
	out := map[string]*language{}
	for _, l := range languages() {
		l.keywords, l.values = set(l.words), set(l.atoms)
		for name := range strings.FieldsSeq(l.names) {
			out[name] = &l
		}
	}
	return out
})

func find(name string) *language { return table()[strings.ToLower(strings.Trim(name, "{}."))] }

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func languages() []language {
	return []language{
		{names: "go golang", parts: []part{slashes, stars, {from: "`", to: "`", lines: true}, double, single},
			words: "break case chan const continue default defer else fallthrough for func go goto if import interface map package " +
				"range return select struct switch type var any bool byte error float32 float64 int int8 int16 int32 int64 rune string " +
				"uint uint8 uint16 uint32 uint64 uintptr",
			atoms: "true false nil iota"},
		{names: "python py python3", parts: []part{hash, triple, triples, double, single},
			words: "and as assert async await break case class continue def del elif else except finally for from global if import in " +
				"is lambda match nonlocal not or pass raise return try while with yield",
			atoms: "True False None self cls"},
		{names: "javascript js jsx mjs typescript ts tsx", parts: []part{slashes, stars, {from: "`", to: "`", escape: true, lines: true},
			double, single},
			words: "abstract as async await break case catch class const continue debugger declare default delete do else enum export " +
				"extends finally for from function get if implements import in instanceof interface keyof let namespace new of private " +
				"protected public readonly return satisfies set static super switch throw try type typeof var void while with yield " +
				"any boolean never number string unknown",
			atoms: "true false null undefined this NaN Infinity"},
		{names: "java kotlin kt scala", parts: []part{slashes, stars, triple, double, single},
			words: "abstract assert boolean break byte case catch char class const continue data def default do double else enum " +
				"extends final finally float for fun if implements import in instanceof int interface internal is lateinit long match " +
				"native new object open override package private protected public record return sealed short static super switch " +
				"synchronized throw throws trait try val var void volatile when while with yield",
			atoms: "true false null this"},
		{names: "c h cpp c++ cc cxx hpp csharp cs c#", parts: []part{slashes, stars, double, single},
			words: cWords + "as async await base foreach get in interface internal is lock namespace object out params readonly ref " +
				"sealed set string var where yield",
			atoms: "true false null nullptr NULL this"},
		{names: "rust rs", parts: []part{slashes, stars, {from: `r#"`, to: `"#`, lines: true},
			{from: `r"`, to: `"`, lines: true, spaced: true}, {from: `"`, to: `"`, escape: true, lines: true},
			{from: "'", to: "'", escape: true, letter: true}},
			words: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub " +
				"ref return static struct super trait type union unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize str " +
				"u8 u16 u32 u64 u128 usize String Vec Option Result Box",
			atoms: "true false self Self None Some Ok Err"},
		{names: "shell sh bash zsh console fish ksh", parts: []part{hash, {from: `"`, to: `"`, escape: true, lines: true},
			{from: "'", to: "'", lines: true}}, dashes: true,
			words: "case do done elif else esac fi for function if in select then time until while alias cd declare echo eval exec exit " +
				"export local printf read readonly return set shift source test trap unset"},
		{names: "json jsonc json5 jsonl", parts: []part{slashes, stars, double}, atoms: "true false null", key: ":", tight: true},
		{names: "yaml yml", parts: []part{hash, {from: `"`, to: `"`, escape: true, spaced: true}, {from: "'", to: "'", spaced: true}},
			atoms: "true false null yes no on off", key: ":", dashes: true},
		{names: "toml ini conf", parts: []part{hash, {from: ";", comment: true, spaced: true}, triple, triples, double, single},
			atoms: "true false", key: "=", dashes: true},
		{names: "sql postgresql mysql sqlite", parts: []part{{from: "--", comment: true}, stars, {from: "'", to: "'", lines: true},
			{from: `"`, to: `"`}}, fold: true,
			words: "add all alter and any as asc begin between by case check column commit constraint create cross default delete desc " +
				"distinct drop else end except exists explain foreign from full group having if in index inner insert intersect into is " +
				"join key left like limit not offset on or order outer over partition primary references returning right rollback " +
				"select set table then transaction trigger union unique update using values view when where window with bigint " +
				"boolean char date integer int json numeric real serial text timestamp uuid varchar",
			atoms: "true false null"},
		{names: "html xml svg xhtml vue svelte", parts: []part{markup, {from: `"`, to: `"`, lines: true},
			{from: "'", to: "'", lines: true}}, key: "=", dashes: true, markup: true},
		{names: "css scss less", parts: []part{stars, slashes, double, single},
			words: "important media import keyframes supports font-face layer", atoms: "auto none inherit initial unset", key: ":",
			dashes: true},
		{names: "ruby rb", parts: []part{hash, {from: "=begin", to: "=end", comment: true, lines: true}, double, single},
			words: "alias and begin break case class def defined do else elsif end ensure extend for if in include module next not or " +
				"private protected public raise redo require require_relative rescue retry return super then undef unless until when " +
				"while yield attr_accessor attr_reader",
			atoms: "true false nil self"},
		{names: "php", parts: []part{slashes, stars, hash, double, single},
			words: "abstract and array as break callable case catch class clone const continue declare default do echo else elseif " +
				"empty enum extends final finally fn for foreach function global if implements include instanceof interface isset list " +
				"match namespace new or print private protected public readonly require require_once return static switch throw " +
				"trait try unset use var while xor yield bool float int mixed string void",
			atoms: "true false null this"},
		{names: "dockerfile docker", parts: []part{hash, double, single},
			words: "FROM AS RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL"},
		{names: "diff patch", whole: changeInk},
		{names: "markdown md", whole: markdownInk},
	}
}

// changeInk returns the colour of a diff line.
func changeInk(t theme.Theme, line string) theme.Ink {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
		return theme.Bold
	case strings.HasPrefix(line, "@@"):
		return t.Hunk
	case strings.HasPrefix(line, "+"):
		return t.Added
	case strings.HasPrefix(line, "-"):
		return t.Removed
	}
	return ""
}

func markdownInk(t theme.Theme, line string) theme.Ink {
	rest := strings.TrimLeft(line, " ")
	switch {
	case strings.HasPrefix(rest, "#"):
		return t.Heading
	case strings.HasPrefix(rest, ">"):
		return t.Quote
	case strings.HasPrefix(rest, "```"), strings.HasPrefix(rest, "~~~"):
		return t.Comment
	}
	return ""
}
