package permission

import "strings"

// reader is a program that only reads, with what of its options is known to keep it so.
type reader struct {
	short string   // letters of options that may be given, alone or together; a value may follow
	long  []string // names of long options, without dashes; a trailing * stands for any rest
	text  int      // how many arguments come first that are no files: a pattern, a format
	plain bool     // no argument is a file
	all   bool     // every option is harmless
}

// readers only read, with the options they list. An option that is not listed makes them programs like any other.
var readers = map[string]*reader{
	"cat": {short: "AbeEnstTuv", long: []string{"number*", "show*", "squeeze-blank"}}, "tac": {short: "brs", long: []string{"before", "regex", "separator*"}},
	"head": {short: "cnqvz0123456789", long: []string{"bytes*", "lines*", "quiet", "verbose", "silent"}},
	"tail": {short: "cnqvz0123456789", long: []string{"bytes*", "lines*", "quiet", "verbose", "silent"}},
	"wc":   {short: "clmwL", long: []string{"bytes", "chars", "lines", "words", "max-line-length"}},
	"nl":   {all: true}, "rev": {all: true}, "tr": {all: true, plain: true}, "cut": {all: true}, "paste": {all: true}, "column": {all: true},
	"fold": {all: true}, "fmt": {all: true}, "expand": {all: true}, "unexpand": {all: true}, "comm": {all: true}, "join": {all: true}, "cmp": {all: true},
	"diff": {short: "abBcdeEiNpqrstTuUwyZCLWI0123456789x", long: []string{"brief", "color*", "unified*", "recursive", "side-by-side", "ignore*", "exclude*", "new-file", "text", "minimal", "strip*", "width*", "context*", "stat"}},
	"file": {short: "bhikLNprsv0", long: []string{"brief", "mime*", "dereference", "no-pad"}},
	"stat": {all: true}, "ls": {all: true}, "dir": {all: true}, "vdir": {all: true}, "du": {all: true}, "df": {all: true}, "readlink": {all: true}, "realpath": {all: true},
	"tree":     {short: "adfilpsughDFrtUPILACSn0123456789J", long: []string{"dirsfirst", "gitignore", "noreport", "prune", "charset*", "filelimit*", "matchdirs"}},
	"basename": {all: true, plain: true}, "dirname": {all: true, plain: true}, "seq": {all: true, plain: true}, "expr": {all: true, plain: true}, "sleep": {all: true, plain: true},
	"uname": {all: true, plain: true}, "whoami": {all: true, plain: true}, "id": {all: true, plain: true}, "groups": {all: true, plain: true}, "nproc": {all: true, plain: true},
	"arch": {all: true, plain: true}, "tty": {all: true, plain: true}, "uptime": {all: true, plain: true}, "free": {all: true, plain: true}, "which": {all: true, plain: true}, "cal": {all: true, plain: true},
	"date": {short: "uRId", long: []string{"utc", "iso-8601*", "rfc-3339*", "rfc-email", "date*", "universal"}, plain: true},
	"grep": {short: "abcEeFGhHiIlLmnoPqrRsTuUvVwxyzZABC0123456789", long: grepLong, text: 1}, "egrep": {short: "abcehHiIlLmnoqrRsvwxABC0123456789", long: grepLong, text: 1},
	"fgrep": {short: "abcehHiIlLmnoqrRsvwxABC0123456789", long: grepLong, text: 1}, "zgrep": {short: "chHilnosvw", text: 1},
	"rg": {short: "abcdeFghHiIlLmMnNopPqrsStTuUvwxz0ABC123456789jfE.", long: []string{"type*", "glob*", "iglob*", "ignore-case", "smart-case", "case-sensitive", "fixed-strings", "files*", "count*", "hidden", "no-*", "line-number", "context*", "after-context*",
		"before-context*", "max-*", "word-regexp", "line-regexp", "multiline*", "only-matching", "color*", "heading", "json", "sort*", "stats", "vimgrep", "invert-match", "column", "pcre2", "regexp*", "trim", "threads*", "passthru", "quiet", "null", "replace*"}, text: 1},
	"md5sum": {all: true}, "sha1sum": {all: true}, "sha224sum": {all: true}, "sha256sum": {all: true}, "sha384sum": {all: true}, "sha512sum": {all: true}, "b2sum": {all: true}, "cksum": {all: true}, "sum": {all: true}, "shasum": {all: true},
	"od": {all: true}, "hexdump": {all: true}, "hd": {all: true}, "strings": {all: true}, "nm": {short: "aABCDgnpPrSu"}, "objdump": {short: "afhpxdDSsrRtTCl"}, "size": {all: true}, "base64": {all: true}, "base32": {all: true},
	"jq":  {short: "acCjMnrRsSe", long: []string{"arg", "argjson", "compact-output", "raw-output", "slurp", "null-input", "sort-keys", "tab", "indent*", "exit-status", "raw-input", "join-output", "color-output", "monochrome-output"}, text: 1},
	"xxd": {short: "abcdeglopsuEi0123456789"}, "pgrep": {all: true, plain: true}, "getconf": {all: true, plain: true}, "locale": {all: true, plain: true}, "lscpu": {all: true, plain: true}, "gofmt": {short: "dels"},
	"test": {all: true}, "[": {all: true}, "true": {all: true, plain: true}, "false": {all: true, plain: true}, ":": {all: true, plain: true}, "pwd": {all: true, plain: true}, "echo": {all: true, plain: true},
	"return": {all: true, plain: true}, "exit": {all: true, plain: true}, "break": {all: true, plain: true}, "continue": {all: true, plain: true}, "shift": {all: true, plain: true}, "wait": {all: true, plain: true},
	"jobs": {all: true, plain: true}, "times": {all: true, plain: true}, "umask": {plain: true}, "type": {all: true, plain: true}, "dirs": {all: true, plain: true}, "getopts": {all: true, plain: true}, "let": {all: true, plain: true},
	"cd": {all: true}, "pushd": {all: true}, "popd": {all: true, plain: true}, "man": {plain: true}, "tsort": {all: true}, "shuf": {short: "eirnz", long: []string{"echo", "head-count*", "repeat", "input-range*"}}, "numfmt": {all: true, plain: true}, "factor": {all: true, plain: true}, "yes": {all: true, plain: true},
}

var grepLong = []string{"include*", "exclude*", "color*", "colour*", "ignore-case", "line-number", "recursive", "files-with*", "files-without*", "count", "fixed-strings", "extended-regexp", "perl-regexp", "word-regexp", "line-regexp", "invert-match", "only-matching", "quiet",
	"silent", "no-*", "with-filename", "max-count*", "after-context*", "before-context*", "context*", "null", "text", "binary-files*", "regexp*", "byte-offset", "directories*", "basic-regexp"}

// harmlessWith do nothing but compute or print, whatever their arguments turn out to be.
var harmlessWith = map[string]bool{
	"echo": true, "printf": true, "true": true, "false": true, ":": true, "pwd": true, "seq": true, "expr": true, "sleep": true, "basename": true, "dirname": true,
	"date": true, "exit": true, "return": true, "break": true, "continue": true, "shift": true, "let": true, "wait": true, "local": true, "readonly": true, "uname": true, "whoami": true, "id": true,
}

// reads lists the files that a reader reads.
func (v viewer) reads(spec *reader, argv []string) []risk {
	out := []risk{{kind: safe, why: "it only reads"}}
	text, only := spec.text, false
	for _, a := range argv[1:] {
		switch {
		case !only && a == "--":
			only = true
			continue
		case !only && len(a) > 1 && a[0] == '-':
			if !spec.takes(a) {
				return []risk{{runs, "", "it is not known what " + a + " makes of " + argv[0]}}
			}
			if spec.text > 0 && (a == "-e" || a == "--files" || strings.HasPrefix(a, "--regexp")) {
				text = 0 // the pattern is given by an option; it is held for a file, which harms nothing
			}
			if i := strings.IndexByte(a, '='); i > 0 && strings.HasPrefix(a, "--") && strings.ContainsAny(a[i:], "/~") && !spec.plain {
				out = append(out, v.touch(reads, a[i+1:]))
			}
			continue
		}
		if spec.plain || a == "-" {
			continue
		}
		if text > 0 {
			text--
			continue
		}
		out = append(out, v.touch(reads, a))
	}
	return out
}

func (r *reader) takes(option string) bool {
	if r.all {
		return true
	}
	if name, ok := strings.CutPrefix(option, "--"); ok {
		for _, l := range append(r.long, "help", "version") {
			if pre, any := strings.CutSuffix(l, "*"); name == l || any && strings.HasPrefix(name, pre) {
				return true
			}
		}
		return false
	}
	letters, _, _ := strings.Cut(option[1:], "=")
	return strings.Trim(letters, r.short) == ""
}
