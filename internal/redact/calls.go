package redact

// calls are functions that sign, encrypt or log in, each with the position of the argument that is secret; 0: any of
// them may be. Nothing beside the argument says what it is.
func calls() (out []shape) {
	add := func(nth int, names ...string) { out = append(out, marked(nil, argumentOf(nth), names...)...) }
	add(1, "hma|c.new(", "Fernet(")
	add(2, "jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode(", "JWT.encode(", "JWT.decode(", "creat|eHmac(", "createC|ipheriv(",
		"createDec|ipheriv(", "si|gnWith(",
		"AES.e|ncrypt(", "AES.d|ecrypt(", "AWSCredentials(", "AwsBasicCredentials.create(", "passwordCredentials(", "PasswordCredentials(",
		"Networ|kCredential(")
	add(3, "has|h_hmac(", ".g|etConnection(")
	add(0, "HmacSHA1(", "HmacSHA256(", "HmacSHA384(", "HmacSHA512(", "HMACSHA1(", "HMACSHA256(", "HMACSHA384(", "HMACSHA512(")
	return append(out, marked(nil, login, "auth(", "Auth(", "l|ogin(")...)
}

// login is a call with exactly a user name and a password.
func login(c *cursor) (secret, bool) {
	s, ok := argumentOf(2)(c)
	if c.one(quotes); ok && c.at-s.keep < judged {
		c.run(blanks, 4)
		ok = c.peek() == ')'
	}
	return s, ok
}

// longestCall bounds how far into the arguments of a call its key is searched for.
const longestCall = 200

var (
	wrapper  = chars("A-Za-z0-9_.:[]( ")
	brackets = [256]int{'(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1}
	inside   = chars("\"'`,()[]{}\r\n\\").not()
)

// argumentOf finds the key among a call's arguments, alone or inside a conversion: "…", b"…", Buffer.from("…").
func argumentOf(nth int) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) { return c.argumentAt(name{}, nth) }
}

// argumentAt is the value of a name among the arguments after the cursor, by its position; 0: any of them.
func (c *cursor) argumentAt(n name, nth int) (secret, bool) {
	depth, at := 0, 1
	for from := c.at; c.at-from < longestCall; {
		if depth == 0 && (nth == 0 || at == nth) {
			begin := c.at
			c.run(spaces, 20)
			c.run(wrapper, 40)
			if s, ok, _ := c.literal(n, firm); ok {
				return s, true
			}
			if c.at = begin; nth != 0 {
				return secret{}, false
			}
		}
		for from := c.at; c.at-from < longestCall; { // to the next argument
			c.run(inside, longestCall)
			b := c.peek()
			if c.at >= len(c.text) {
				return secret{}, false
			}
			c.at++
			if body := over[b]; body != nil {
				c.run(body, longestCall)
				c.one(quotes)
			}
			if depth += brackets[b]; depth < 0 {
				return secret{}, false
			}
			if b == ',' && depth == 0 {
				at++
				break
			}
		}
	}
	return secret{}, false
}
