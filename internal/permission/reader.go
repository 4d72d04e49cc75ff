package permission

import (
	"slices"
	"strings"
)

// reader is a program that only reads, with the options known to keep it that way. An entry must list no option that
// runs a program, writes a file, or reads file names from a file.
type reader struct {
	short string   // letters of allowed options, alone or combined; a value may follow
	long  []string // names of allowed long options, without dashes; a trailing * matches any rest
	text  int      // number of leading arguments that are not files: a pattern, a format
	plain bool     // no argument is a file
	all   bool     // every option is harmless
	names bool     // it shows names, sizes and times, but not what files contain
	value string   // letters of options that take the rest of the word as a value
	deep  string   // letters of options that make it read folders recursively
	lists bool     // @FILE stands for the options in the file
}

// readers only read, with the options they list. Any other option makes them programs like any other.
var readers = map[string]*reader{
	"cat":  {short: "AbeEnstTuv", long: []string{"number*", "show*", "squeeze-blank"}},
	"tac":  {short: "brs", long: []string{"before", "regex", "separator*"}},
	"zcat": {short: "kqv"}, "bzcat": {}, "xzcat": {}, "pr": {all: true}, "bat": {short: "npAPrl"},
	"head": {short: "cnqvz0123456789", long: []string{"bytes*", "lines*", "quiet", "verbose", "silent"}},
	"tail": {short: "cfFnqvz0123456789", long: []string{"bytes*", "lines*", "quiet", "verbose", "silent", "follow*", "retry"}},
	"wc":   {short: "clmwL", long: []string{"bytes", "chars", "lines", "words", "max-line-length"}},
	"nl":   {all: true}, "rev": {all: true}, "tr": {all: true, plain: true}, "cut": {all: true, value: "dfbc"},
	"paste": {all: true, value: "d"}, "column": {all: true, value: "sNo"},
	"fold": {all: true}, "fmt": {all: true}, "expand": {all: true}, "unexpand": {all: true}, "comm": {all: true},
	"join": {all: true, value: "t"}, "cmp": {all: true},
	"diff": {deep: "r", short: "abBcdeEiNpqrstTuUwyZCLWI0123456789x",
		long: []string{"brief", "color*", "unified*", "recursive", "side-by-side", "ignore*", "exclude*", "new-file", "text", "minimal",
			"strip*", "width*", "context*", "stat"}},
	"file": {short: "bhikLNprsv0", long: []string{"brief", "mime*", "dereference", "no-pad"}},
	"stat": {all: true, names: true}, "ls": {all: true, names: true}, "dir": {all: true, names: true}, "vdir": {all: true, names: true},
	"exa": {all: true, names: true}, "eza": {all: true, names: true},
	"du": {all: true, names: true}, "df": {all: true, names: true}, "readlink": {all: true, names: true},
	"realpath": {all: true, names: true}, "fd": {short: "etdHIpglsauLES0", text: 1, names: true},
	"clear": {plain: true}, "whereis": {plain: true}, "lsof": {short: "inPpcutTUdR", plain: true},
	"ss": {short: "tulnpaHe4x6sor", plain: true}, "netstat": {short: "tulnpaers46", plain: true},
	"iconv": {short: "ftcls", long: []string{"from-code*", "to-code*", "list"}},
	"tree": {names: true, short: "adfilpsughDFrtUPILACSn0123456789J",
		long: []string{"dirsfirst", "gitignore", "noreport", "prune", "charset*", "filelimit*", "matchdirs"}},
	"basename": {all: true, plain: true}, "dirname": {all: true, plain: true}, "seq": {all: true, plain: true},
	"expr": {all: true, plain: true}, "sleep": {all: true, plain: true},
	"uname": {all: true, plain: true}, "whoami": {all: true, plain: true}, "id": {all: true, plain: true},
	"groups": {all: true, plain: true}, "nproc": {all: true, plain: true},
	"tty": {all: true, plain: true}, "uptime": {all: true, plain: true}, "free": {all: true, plain: true},
	"which": {all: true, plain: true}, "cal": {all: true, plain: true},
	"date":  {short: "uRId", long: []string{"utc", "iso-8601*", "rfc-3339*", "rfc-email", "date*", "universal"}, plain: true},
	"grep":  {value: "eABCmd", deep: "rRd", short: "abcEeFGhHiIlLmnoPqrRsTuUvVwxyzZABC0123456789", long: grepLong, text: 1},
	"egrep": {value: "eABCmd", deep: "rRd", short: "abcehHiIlLmnoqrRsvwxABC0123456789", long: grepLong, text: 1},
	"fgrep": {value: "eABCmd", deep: "rRd", short: "abcehHiIlLmnoqrRsvwxABC0123456789", long: grepLong, text: 1},
	"zgrep": {value: "e", short: "chHilnosvw", text: 1},
	"rg": {value: "egtTmMABCdjEr", short: "abcFhHiIlnNopPqsSuUvwx0.",
		long: []string{"type*", "glob*", "iglob*", "ignore-case", "smart-case", "case-sensitive", "fixed-strings", "files*", "count*",
			"hidden", "no-*", "line-number", "context*", "after-context*",
			"before-context*", "max-*", "word-regexp", "line-regexp", "multiline*", "only-matching", "color*", "heading", "json", "sort*",
			"stats", "vimgrep", "invert-match", "column", "pcre2", "regexp*", "trim", "threads*", "passthru", "quiet", "null",
			"replace*"}, text: 1},
	"md5sum": {all: true}, "sha1sum": {all: true}, "sha224sum": {all: true}, "sha256sum": {all: true}, "sha384sum": {all: true},
	"sha512sum": {all: true}, "b2sum": {all: true}, "cksum": {all: true}, "sum": {all: true}, "shasum": {all: true},
	"od": {all: true}, "hexdump": {all: true}, "hd": {all: true}, "strings": {all: true, lists: true},
	"nm": {short: "aABCDgnpPrSu", lists: true}, "objdump": {short: "afhpxdDSsrRtTCl", lists: true},
	"size":   {lists: true, short: "ABdoxt", long: []string{"format*", "radix*", "totals", "common"}},
	"base64": {short: "dDiw", long: []string{"decode", "ignore-garbage", "wrap*"}}, "base32": {all: true},
	"xxd": {short: "abcdpsuEi0123456789", value: "cglos"}, "pgrep": {all: true, plain: true}, "getconf": {all: true, plain: true},
	"locale": {all: true, plain: true}, "lscpu": {all: true, plain: true},
	"test": {all: true, plain: true}, "[": {all: true, plain: true}, "true": {all: true, plain: true}, "false": {all: true, plain: true},
	":": {all: true, plain: true}, "pwd": {all: true, plain: true}, "echo": {all: true, plain: true},
	"return": {all: true, plain: true}, "exit": {all: true, plain: true}, "break": {all: true, plain: true},
	"continue": {all: true, plain: true}, "shift": {plain: true}, "wait": {short: "nf", plain: true},
	"jobs": {short: "lnprs", plain: true}, "times": {plain: true}, "umask": {all: true, plain: true}, "type": {short: "afptP", plain: true},
	"dirs": {short: "clpv0123456789", plain: true}, "let": {all: true, plain: true},
	"cd": {short: "LPe"}, "pushd": {short: "n0123456789"}, "popd": {short: "n0123456789", plain: true}, "man": {}, "tsort": {all: true},
	"shuf": {short: "eirnz", long: []string{"echo", "head-count*", "repeat", "input-range*"}}, "numfmt": {all: true, plain: true},
	"factor": {all: true, plain: true}, "yes": {all: true, plain: true},
}

var grepLong = []string{"include*", "exclude*", "color*", "colour*", "ignore-case", "line-number", "recursive", "files-with*",
	"files-without*", "count", "fixed-strings", "extended-regexp", "perl-regexp", "word-regexp", "line-regexp", "invert-match",
	"only-matching", "quiet",
	"silent", "no-*", "with-filename", "max-count*", "after-context*", "before-context*", "context*", "null", "text", "binary-files*",
	"regexp*", "byte-offset", "directories*", "basic-regexp"}

// harmlessWith are commands that only compute or print, whatever their arguments turn out to be.
var harmlessWith = wordSet(`
	echo printf true false : pwd seq expr sleep basename dirname test [ date exit return break continue shift let local readonly uname
	whoami id
`)

// reads lists the files that a reader reads.
func (v analyzer) reads(spec *reader, argv []string) []risk {
	out := []risk{{kind: safe, why: "only reads"}}
	text, only, deep := spec.text, false, argv[0] == "rg"
	var files []string
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		switch {
		case !only && a == "--":
			only = true
		case spec.lists && strings.HasPrefix(a, "@"):
			out = append(out, risk{runs, "", argv[0] + " takes options from " + a[1:]})
		case !only && len(a) > 1 && a[0] == '-':
			if !spec.takes(a) {
				out, text = append(out, risk{runs, "", "effect of " + a + " on " + argv[0] + " is unknown"}), 0
				continue
			}
			letter, whole := spec.valued(a)
			if spec.text > 0 && (letter == 'e' || a == "--files" || strings.HasPrefix(a, "--regexp")) {
				text = 0 // an option gives the pattern
			}
			if letter != 0 && whole {
				i++ // its value is the next argument
			}
			deep = deep || spec.deep != "" && (a[1] != '-' && strings.ContainsAny(a, spec.deep) || strings.HasPrefix(a, "--rec") ||
				strings.HasPrefix(a, "--deref") || strings.HasPrefix(a, "--dir"))
			if _, value, ok := strings.Cut(a, "="); ok && a[1] == '-' && (strings.ContainsAny(value, "/~") || secret(value)) &&
				!spec.plain && !globOption(a) {
				out = append(out, v.touch(reads, value))
			}
		case spec.plain || a == "-":
		case text > 0:
			text--
		default:
			files = append(files, a)
		}
	}
	deep = deep && !slices.Contains(argv, "--files") // with --files, rg only lists names
	if deep && len(files) == 0 {
		files = []string{"."}
	}
	for _, f := range files {
		switch {
		case spec.names:
			out = append(out, v.listed(f))
		case deep:
			out = append(out, v.readsBelow(f, argv)...)
		default:
			out = append(out, v.touch(reads, f))
		}
	}
	return out
}

// globOption reports whether an option selects files below the named ones.
func globOption(a string) bool {
	return strings.HasPrefix(a, "--include") || strings.HasPrefix(a, "--exclude") || strings.HasPrefix(a, "--glob") ||
		strings.HasPrefix(a, "--iglob")
}

// valued is the letter in a short option that takes a value, if there is one, and whether the value is the next argument.
func (r *reader) valued(option string) (letter byte, next bool) {
	if option[1] == '-' {
		return 0, false
	}
	if i := strings.IndexAny(option[1:], r.value); i >= 0 && r.value != "" {
		return option[1+i], 2+i == len(option)
	}
	return 0, false
}

// reaches are meanings that no long option of a reader may have, even when abbreviated.
var reaches = []string{"files0-from", "files-from", "output", "compress-program", "temporary-directory", "random-source"}

// takes reports whether an option is allowed. An abbreviated long option is if an option it could mean is listed,
// unless it could mean one of reaches.
func (r *reader) takes(option string) bool {
	if name, ok := strings.CutPrefix(option, "--"); ok {
		name, _, _ := strings.Cut(name, "=")
		for _, bad := range reaches {
			if r.all && len(name) > 1 && strings.HasPrefix(bad, name) {
				return false
			}
		}
		for _, l := range append([]string{"help", "version"}, r.long...) {
			if pre, any := strings.CutSuffix(l, "*"); name == l || any && strings.HasPrefix(name, pre) {
				return true
			}
		}
		return r.all
	}
	if r.all {
		return true
	}
	letters, _, _ := strings.Cut(option[1:], "=")
	if i := strings.IndexAny(letters, r.value); i >= 0 && r.value != "" {
		letters = letters[:i]
	}
	return strings.Trim(letters, r.short) == ""
}
