package redact

import "bytes"

// colonLine finds the password at the end of a line of a .pgpass file: host, port, database, user and password with
// colons between them. The keyword is its port.
func colonLine(text []byte, i, n int, add func(span)) {
	line := bytes.LastIndexByte(text[max(0, i-120):i], '\n') + 1 + max(0, i-120)
	if bytes.ContainsAny(text[line:i], ": \t/") && !bytes.HasPrefix(text[line:i], []byte("\\:")) {
		return
	}
	end := min(lineEnd(text, i), i+300)
	fields := bytes.SplitN(text[i+n:end], []byte(":"), 3)
	if len(fields) < 3 || len(fields[0]) == 0 || len(fields[1]) == 0 || bytes.ContainsAny(fields[0], " /") || bytes.ContainsAny(fields[1], " /") {
		return
	}
	pass := bytes.TrimRight(fields[2], "\r \"'")
	if isDigits(fields[0]) && isDigits(fields[1]) && bytes.Count(pass, []byte(":")) >= 2 && len(bytes.Trim(pass, ":0123456789")) == 0 {
		return // days in the table of a system's passwords, of a user who has none
	}
	if len(pass) >= 3 && !placeholder(pass) && bytes.IndexByte(pass, ' ') < 0 {
		start := end - len(fields[2])
		add(span{start, start + len(pass), -1, kindPassword})
	}
}

// relayLine finds the password of a relay of mail: [host]:port user:password. The keyword is the port with its bracket.
func relayLine(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 8, " \t")
	end := lineEnd(text, at)
	stop := wordEnd(text, at, end)
	colon := bytes.IndexByte(text[at:stop], ':')
	if at == i+n || colon <= 0 {
		return
	}
	if pass := text[at+colon+1 : stop]; len(pass) >= 4 && !placeholder(pass) && !genericValue[string(pass)] {
		add(span{at + colon + 1, stop, -1, kindPassword})
	}
}
