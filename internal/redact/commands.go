package redact

import "bytes"

// Programs take passwords in options whose names say nothing: -u, -p, -k. Their meaning is known only if the program's
// name precedes them, so these shapes begin at the name and read on along its command line.

// longestCommand bounds how far along a command line an option is searched for.
const longestCommand = 240

// program says which options of a command contain a password. The zero value takes the next word, whatever it is.
type program struct {
	options  []string // "-p": the value is the next argument, or the rest of this one
	separate bool     // the value is always the next argument
	joined   bool     // the value is always the rest of this one
	cluster  *set     // letters that may precede the option's letter in the same argument
	until    byte     // what separates the user name from the password after it; 0: there is no user name
	scheme   string   // what precedes the password if the option may name other sources, too
}

var (
	argument   = chars(" \t\r\n").not()
	stops      = chars(";|&)\r\n")
	curlFlags  = chars("#0-9aBfgGIijkKlLMnNOpqRsSvZ")
	beforeName = chars("A-Za-z0-9_-")
)

// commands are the programs by name, each with the blank that follows it. The look-up begins at the bar: see marked.
func commands() (out []shape) {
	add := func(p program, names ...string) {
		out = append(out, marked(beforeName, p.find, names...)...)
	}
	add(program{options: []string{"-u", "-U", "--user", "--proxy-user"}, cluster: curlFlags, until: ':'}, "c|url ", "c|url.exe ")
	add(program{options: []string{"-a", "--auth"}, until: ':', separate: true}, "ht|tp ", "xh ")
	add(program{options: []string{"-U", "--user"}, until: '%'}, "smbclient ", "rpcclient ")
	add(program{options: []string{"-u"}, until: ','}, "lftp ")
	add(program{options: []string{"-p"}}, "mo|ngo ", "mo|ngosh ", "mo|ngodump ", "mo|ngorestore ", "mo|ngoexport ", "mo|ngoimport ")
	add(program{options: []string{"-p"}, separate: true}, "az ", "podman login ", "ne|rdctl login ", "skopeo login ", "bui|ldah login ",
		"oc login ", "h|elm registry login ", "cqlsh ")
	add(program{options: []string{"-P"}}, "s|qlcmd ", "bcp ", "ipmitool ", "m|osquitto_pub ", "m|osquitto_sub ", "zip ",
		"unzip ", "zipcloak ")
	add(program{options: []string{"-w"}}, "ldapsearch ", "ldapadd ", "ldapmodify ", "ldapdelete ", "ldapwhoami ", "ldappasswd ")
	add(program{options: []string{"-p", "-hp"}, joined: true}, "7z ", "7za ", "7zz ", "7zr ", "rar ", "unrar ")
	add(program{options: []string{"-pw"}, separate: true}, "pli|nk ", "pscp ", "psftp ")
	add(program{options: []string{"-storepass", "-keypass", "-srcstorepass", "-deststorepass"}, separate: true}, "ke|ytool ", "jarsigner ")
	add(program{options: []string{"-k", "-K", "-hmac"}, separate: true}, "ope|nssl ")
	add(program{options: []string{"-pass", "-passin", "-passout"}, separate: true, scheme: "pass:"}, "ope|nssl ")
	add(program{options: []string{"-A", "-X", "-c"}, separate: true}, "snmpwalk ", "snmpget ", "snmpset ")
	out = append(out, marked(beforeName, positional(0), "vault login ", "snmp-server community ")...)
	out = append(out, marked(beforeName, positional(1), "wpa_passphrase ", "rabbi|tmqctl add_user ", "rabbi|tmqctl change_password ")...)
	out = append(out, marked(beforeName, positional(2), "ht|passwd -b ", "ht|passwd -bc ", "ht|passwd -cb ", "ht|passwd -bB ",
		"ht|passwd -Bb ",
		"ht|passwd -Bbc ", "ht|passwd -cbB ")...)
	out = append(out, marked(beforeName, positional(1), "ht|passwd -nb ", "ht|passwd -bn ", "ht|passwd -nbB ", "ht|passwd -bnB ",
		"ht|passwd -Bbn ", "ht|passwd -nBb ")...)
	out = append(out, marked(beforeName, wireless, "WI|FI:")...)
	out = append(out, marked(beforeName, piped, "ec|ho ", "prin|tf ")...)
	return append(out, marked(nil, hereString, "<<<")...)
}

// find searches a command line for the first option with a password.
func (p program) find(c *cursor) (secret, bool) {
	for from := c.at; c.at-from < longestCommand; {
		c.run(blanks, 8)
		if c.one(backslash) != 0 && len(c.run(newline, 2)) > 0 {
			continue
		}
		if b := c.peek(); c.at >= len(c.text) || stops[b] {
			return secret{}, false
		}
		word := c.run(argument, judged)
		if len(word) == 0 || word[0] != '-' {
			continue
		}
		end := c.at
		if i := p.option(word); i >= 0 {
			if c.at -= len(word) - i; i == len(word) {
				c.run(blanks, 4)
			}
			if s, ok := p.value(c); ok {
				return s, true
			}
		}
		c.at = end
	}
	return secret{}, false
}

// option returns where in an argument the value begins: at its end if the value is the next argument, -1 if it is none of the options.
func (p program) option(word []byte) int {
	for _, o := range p.options {
		at := 0
		if !bytes.HasPrefix(word, []byte(o)) {
			if p.cluster == nil || len(o) > 2 || len(word) < 3 || word[1] == '-' {
				continue
			}
			for at < len(word)-2 && p.cluster[word[at+1]] {
				at++
			}
			if at == 0 || word[at+1] != o[1] {
				continue
			}
		}
		rest := word[at+len(o):]
		switch {
		case len(rest) == 0 && !p.joined:
			return len(word)
		case len(rest) == 0:
		case rest[0] == '=':
			return len(word) - len(rest) + 1
		case len(o) == 2 && !p.separate, p.joined:
			return len(word) - len(rest)
		}
	}
	return -1
}

// value is the password of an option, after the user name if there is one.
func (p program) value(c *cursor) (secret, bool) {
	of, how := bare, firm
	if body := unbroken[c.peek()]; body != nil {
		of = body
		c.at++
	}
	if p.until != 0 {
		for from := c.at; bare[c.peek()] && c.peek() != p.until && c.at < len(c.text) && c.at-from < judged; {
			c.at++
		}
		if how = weak; c.peek() != p.until { // user:password2 in documentation
			return secret{}, false
		}
		c.at++
	}
	if p.scheme != "" && !c.fixed(p.scheme) {
		return secret{}, false
	}
	return c.plain(name{kind: password}, how, of)
}

// positional is an argument without an option, after so many others.
func positional(skip int) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		for range skip {
			c.run(blanks, 4)
			if len(c.run(bare, judged)) == 0 {
				return secret{}, false
			}
		}
		c.run(blanks, 4)
		return program{}.value(c)
	}
}

// field is a part of a Wi-Fi code: WIFI:T:WPA;S:NAME;P:PASSWORD;;
var field = chars(";\r\n").not()

// wireless matches the password of a Wi-Fi code.
func wireless(c *cursor) (secret, bool) {
	for range 5 {
		keep := c.at
		text := c.run(field, judged)
		if password, ok := bytes.CutPrefix(text, []byte("P:")); ok {
			return secret{keep: keep + 2, end: c.at, eat: field}, len(password) >= 8
		}
		if c.peek() != ';' {
			break
		}
		c.at++
	}
	return secret{}, false
}

// readers are commands that read a password from their standard input.
var readers = [...]string{"-stdin", "--with-token", "chpasswd", "sudo -S", "passwd", "secret create", "secret put", "secret set",
	"secrets set"}

// reads reports whether a command line has a command that reads a password from its input.
func reads(text []byte) bool {
	for _, r := range readers {
		if bytes.Contains(text, []byte(r)) {
			return true
		}
	}
	return false
}

// piped is a password that is piped into such a command: echo PASSWORD | docker login --password-stdin.
func piped(c *cursor) (secret, bool) {
	for range 2 {
		c.run(blanks, 4)
		at := c.at
		if arg := c.run(argument, 16); len(arg) == 0 || arg[0] != '-' && bytes.IndexByte(arg, '%') < 0 || len(arg) > 8 {
			c.at = at
			break
		}
	}
	s, ok := program{}.value(c)
	if !ok {
		return s, false
	}
	_, to, found := bytes.Cut(c.run(lineText, 160), []byte("|"))
	return s, found && reads(to)
}

// hereString is a password in a here-string after such a command.
func hereString(c *cursor) (secret, bool) {
	if !reads(c.back[bytes.LastIndexByte(c.back, '\n')+1:]) {
		return secret{}, false
	}
	c.run(blanks, 4)
	return program{}.value(c)
}
