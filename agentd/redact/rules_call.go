package redact

import (
	"bytes"
	"strings"
)

// callWords are the keywords of functions that are given a secret without a name.
func callWords() []keyword {
	var all []keyword
	for _, w := range []string{"mysqli_connect(", "mysqli(", "new pdo(", "pg_connect(", "getconnection(", ".login(", "connect(", "->auth(", ".auth(", "smtp.start(", "ftp.open(", "authenticate(", "sign_in(", "signin(", "credentials(", "setpassword(", "logon(", "setcredentials(", "authplain(", "plainauth(", "passwordauthentication(", "twilio", "basiccredentials("} {
		all = append(all, keyword{word: w, run: quotedArgument(1)})
	}
	for _, w := range []string{"createhmac(", "jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode(", "hmac.new(", "aes.new(", "fernet(", "secretkeyspec(", "createcipheriv(", "hash_hmac(", "session({", "cookiesession("} {
		all = append(all, keyword{word: w, run: quotedArgument(0)})
	}
	for _, w := range []string{"@tcp(", "@unix("} {
		all = append(all, keyword{word: w, run: driverLogin})
	}
	return all
}

// quotedArgument finds the arguments in quotes of a call, from the n-th of all on, that can only be secrets.
func quotedArgument(n int) finder {
	return func(text []byte, i, k int, add func(span)) {
		at, end := i+k, min(lineEnd(text, i), i+300)
		if open := bytes.IndexByte(text[i:end], '('); open >= 0 && i+open >= at {
			at = i + open + 1
		}
		for arg := 0; at < end; arg++ {
			quote := at
			for quote < end && among(" \tbrfN(", text[quote]) {
				quote++
			}
			if quote < end && among("\"'`", text[quote]) {
				v, ok := readValue(text, quote, value{})
				if !ok || !v.quoted {
					return
				}
				if b := text[v.start:v.end]; arg >= n && literalSecret(b) {
					add(span{v.start, v.end, -1, kindPassword})
				}
				quote = v.end + 1
			}
			for quote < end && text[quote] != ',' {
				if text[quote] == ')' || text[quote] == ';' {
					return
				}
				quote++
			}
			at = quote + 1
		}
	}
}

// literalSecret says whether a text in a program is no name, address or sentence but a secret.
func literalSecret(b []byte) bool {
	if len(b) < 8 || placeholder(b) || linkish(b) || uuidAt(b) || bytes.IndexByte(b, ' ') >= 0 || bytes.Contains(b, []byte(":")) && !strongWord(b) || bytes.IndexByte(b, '@') > 0 && bytes.IndexByte(b, '.') > 0 {
		return false
	}
	return strongWord(b) || digestLike(b) && len(b) >= 32 || len(b) >= 16 && byChance(b)
}

// driverLogin finds the password of user:password@tcp(host), as Go's driver for MySQL is told it.
func driverLogin(text []byte, i, _ int, add func(span)) {
	start := i
	for start > 0 && i-start < 128 && text[start-1] > ' ' && !among("\"'`=", text[start-1]) {
		start--
	}
	colon := bytes.IndexByte(text[start:i], ':')
	if colon <= 0 {
		return
	}
	if pass := text[start+colon+1 : i]; len(pass) >= 3 && !placeholder(pass) && !genericValue[strings.ToLower(string(pass))] {
		add(span{start + colon + 1, i, -1, kindConnection})
	}
}
