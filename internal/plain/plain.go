// Package plain turns error messages of the system and of libraries into words that a person understands without knowing
// either.
//
// [Text] is applied where an error becomes a sentence for a person, and to nothing that a program reads. It
// replaces parts of a message and keeps the rest, so that what was wrapped around stays. What no rule knows stays
// as it is. It is pure.
package plain

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// path is a file's name as it stands in a message; a Windows one may have a colon.
const path = `((?:[A-Za-z]:)?[^:\n]+)`

// doing is what a path error says was being tried.
const doing = `\b(?:open|stat|lstat|read|write|chdir|mkdir|readdirent|getdents|createtemp|fork/exec) ` + path + `: `

// rules are tried in order, each on what the one before left. A message that none of them knows stays as it is.
var rules = []struct {
	said func() *regexp.Regexp
	mean string
}{
	{rule(`^no such file or directory$`), "it does not exist"}, // said alone, of what the sentence around it names
	{rule(`^is a directory$`), "it is a folder"},
	{rule(`^not a directory$`), "part of its path is not a folder"},
	{rule(`^(?:permission denied|operation not permitted)$`), "permission denied"},
	{rule(doing + `(?:no such file or directory|The system cannot find the (?:file|path) specified\.)`), "no such file: $1"},
	{rule(`: no such file or directory\b`), ": no such file or folder"},
	{rule(doing + `is a directory\b`), "$1 is a folder"},
	{rule(path + `: is a directory\b`), "$1 is a folder"},
	{rule(doing + `not a directory\b`), "$1: part of the path is not a folder"},
	{rule(path + `: not a directory\b`), "$1 is not a folder"},
	{rule(doing + `(?:permission denied|operation not permitted|Access is denied\.)`), "$1: permission denied"},
	{rule(doing + `read-only file system\b`), "$1 is on a read-only file system"},
	{rule(doing + `no space left on device\b`), "the disk of $1 is full"},
	{rule(`no space left on device\b`), "the disk is full"},
	{rule(`\bno locks available\b`), "its file system does not support locks, like some network drives"},
	{rule(`exec: "([^"]+)": executable file not found in (?:\$PATH|%PATH%)`), "the program $1 is not installed"},
	{rule(`\bdial tcp: lookup (\S+?)(?: on \S+)?: (?:no such host|server misbehaving|Temporary failure in name resolution)`),
		"host $1 not found, or no network"},
	{rule(`\bdial \w+ (\S+?): (?:connect|connectex): [^:\n]*refused[^:\n]*`), "no server answers at $1 (connection refused)"},
	{rule(`\bdial \w+ (\S+?): (?:connect: )?(?:i/o timeout|connection timed out|network is unreachable|no route to host)`),
		"$1 cannot be reached"},
	{rule(`unsupported protocol scheme "[^"]*"`), "the address does not begin with https:// or http://"},
	{rule(`(?:\bread tcp \S+: read|\bread tcp \S+): connection reset by peer`), "the other side closed the connection"},
	{rule(`\bcontext deadline exceeded(?: \(.*\))?`), "it took too long"},
	{rule(`\bi/o timeout\b`), "it took too long"},
	{rule(`\bcontext canceled\b`), "it was stopped"},
	{rule(`\bunexpected EOF\b|\bunexpected end of JSON input\b`), "it is incomplete"},
	{rule(`: EOF$`), ": it ended too early"},
	{rule(`strconv\.\w+: parsing ("[^"]*"): value out of range`), "$1 is too large"},
	{rule(`strconv\.\w+: parsing ("[^"]*"): invalid syntax`), "$1 is not a number"},
	{rule(`time: (?:invalid duration|unknown unit "[^"]*" in duration|missing unit in duration) ("[^"]*")`),
		"$1 is not a duration such as 90s or 5m"},
	{rule(`invalid character ('.+?') [\w -]+(?:"[^"]*")?(?: ?\(expecting '.'\))?`), "invalid JSON near $1"},
	{rule(`field (\S+) not found in type \S+`), "unknown key $1"},
	{rule(`http: server gave HTTP response to HTTPS client`), "the server uses http, not https: write http:// in its address"},
	{rule(`\bgetwd: .*`), "the current folder no longer exists"},
	{rule(`found character that cannot start any token`), "a word begins with a tab or with a character that must be quoted"},
	{rule(`did not find expected ',' or '(.)'`), "a list or section is not closed: $1 is missing"},
	{rule(`did not find expected key`), "inconsistent indentation"},
	{rule(`did not find expected [\w -]+|block sequence entries are not allowed in this context`),
		"wrong indentation"},
	{rule(`mapping values are not allowed in this context`), "unexpected colon (quote the text)"},
	{rule(`could not find expected ':'`), "missing colon after a key"},
	{rule(`found unexpected end of stream`), "a quote or bracket is not closed"},
	{rule(`\brename \S+ ` + path + `: file exists`), "$1 is a folder"},
	{rule(`\bsignal: killed\b`), "it was killed"},
	{rule(`\bexit status (\d+)\b`), "it ended with status $1"},
}

// rule is what a message says, as an expression; compiled when first needed, since most runs print no error.
var rule = pattern.Of

// decoded is how decoders say that a value is of another kind than is wanted.
var decoded = []func() *regexp.Regexp{
	rule("cannot unmarshal !!\\w+ (?:`([^`]*)` )?into (\\S+)"),
	rule(`json: cannot unmarshal (\w+) into Go (?:struct field \S+|value) of type (\S+)`),
}

// kinds are what Go types are called, by how their names begin.
var kinds = []struct{ prefix, name string }{{"[]", "a list"}, {"map", "a section"}, {"int", "a whole number"}, {"uint", "a whole number"},
	{"float", "a number"}, {"bool", "true or false"}, {"string", "a text"}, {"time.Duration", "a time such as 90s or 5m"}}

// longest is how much of a message is read, in bytes: the rules take 2 µs for each, and what is longer quotes a program's output.
const longest = 16 << 10

// Text is a message in words. What it says beyond its first 16 KiB stays as it is.
func Text(message string) string {
	if len(message) > longest {
		return Text(message[:longest]) + message[longest:]
	}
	for _, r := range rules {
		message = r.said().ReplaceAllString(message, r.mean)
	}
	for _, d := range decoded {
		message = d().ReplaceAllStringFunc(message, func(said string) string {
			m := d().FindStringSubmatch(said)
			wanted := "a section"
			for _, k := range kinds {
				if strings.HasPrefix(strings.TrimPrefix(m[2], "*"), k.prefix) {
					wanted = k.name
					break
				}
			}
			if m[1] == "" {
				return "expected " + wanted
			}
			return fmt.Sprintf("found %q, expected %s", m[1], wanted)
		})
	}
	return message
}
