package redact

import (
	"bytes"
	"strings"
)

const kindPassword = "password"

// userFlag finds the password in "curl -u name:password" and its like.
func userFlag(text []byte, i, n int, add func(span)) {
	end := commandPart(text, i, n)
	for at := i; at < end; {
		k := bytes.Index(text[at:end], []byte(" -"))
		if k < 0 {
			return
		}
		at += k + 1
		if k := joinedFlag(text[at:end]); k > 0 {
			start := skipAny(text, at+k, 3, " \"'")
			stop := wordStop(text, start, end)
			if colon := bytes.IndexByte(text[start:stop], ':'); colon >= 0 {
				userPassword(text, start, start+colon, stop, add)
			}
		}
		for _, flag := range []string{"-u", "--user", "--proxy-user", "-U", "-a"} {
			if !bytes.HasPrefix(text[at:end], []byte(flag)) {
				continue
			}
			start := skipAny(text, at+len(flag), 3, " =\"'")
			stop := wordStop(text, start, end)
			colon := bytes.IndexByte(text[start:stop], ':')
			if colon < 0 && hasFold(text[i:], "lftp") {
				colon = bytes.IndexByte(text[start:stop], ',')
			}
			if colon < 0 && flag == "-U" {
				colon = bytes.IndexByte(text[start:stop], '%')
			}
			if colon >= 0 && (start > at+len(flag) || flag == "-u") {
				userPassword(text, start, start+colon, stop, add)
			}
		}
		at++
	}
}

// joinedFlag is the length of flags of one letter written together that end with u, as in -sSu, or 0.
func joinedFlag(b []byte) int {
	k := 1
	for k < len(b) && isLetter(b[k]) {
		k++
	}
	if k > 2 && k < len(b) && b[k] == ' ' && b[k-1] == 'u' && b[0] == '-' {
		return k
	}
	return 0
}

func userPassword(text []byte, start, colon, stop int, add func(span)) {
	user, first := text[start:colon], skipAny(text[:stop], colon+1, 1, "\"'")
	pass := bytes.TrimRight(text[first:stop], "\"'")
	stop = first + len(pass)
	if len(user) == 0 && len(pass) == 0 {
		return
	}
	switch {
	case len(pass) >= 3 && !placeholder(pass) && !genericValue[strings.ToLower(string(bytes.TrimRight(pass, ">")))] && !bytes.HasPrefix(user, []byte("<")):
		add(span{first, stop, -1, kindPassword})
	case len(user) >= minTail && (len(pass) <= 1 || generic(pass)) && machineMade(user):
		add(span{start, start + len(user), -1, kindPassword}) // the key stands where a name stands
	case len(pass) == 0 && len(user) >= 8 && randomish(user) || len(user) == 0 && len(pass) >= 3:
		add(span{start, stop, -1, kindPassword})
	}
}

// passFlag finds the password that follows a flag of one letter directly or, with the flags of loose, behind a space.
func passFlag(tight, loose string) finder {
	return func(text []byte, i, n int, add func(span)) {
		if i > 0 && isWord(text[i-1]) || i+n >= len(text) || bytes.IndexByte([]byte(" -\t."), text[i+n]) < 0 {
			return
		}
		end := commandPart(text, i, n)
		for at := i + n; at+3 < end; at++ {
			if text[at] != ' ' || text[at+1] != '-' {
				continue
			}
			start := at + 3
			switch {
			case hasFold(text[at+1:end], "-password"): // that option says it itself
				continue
			case tight != "" && text[at+2] == tight[0] && text[start] > ' ' && text[start] != '=':
			case loose != "" && text[at+2] == loose[0] && text[start] == ' ':
				start++
			default:
				continue
			}
			start = skipAny(text, start, 1, "\"'")
			if stop := wordStop(text, start, end); stop-start >= 3 && !placeholder(text[start:stop]) && !reference(text[start:stop]) && text[start] != '-' {
				add(span{start, stop, -1, kindPassword})
			}
		}
	}
}

// commandPart is where the command ends whose name stands at i, or where the same name begins again.
func commandPart(text []byte, i, n int) int {
	end := commandEnd(text, i+n)
	if k := bytes.Index(text[i+n:end], text[i:i+n]); k >= 0 {
		return i + n + k
	}
	return end
}

// commandEnd is where a command line ends; a backslash carries it over the end of a line.
func commandEnd(text []byte, i int) int {
	for k := i; k < len(text) && k < i+maxForm; k++ {
		switch c := text[k]; {
		case c == '\n' && text[k-1] != '\\', c == '|' || c == ';' && text[k-1] != '\\':
			return k
		}
	}
	return min(len(text), i+maxForm)
}

// wordStop is where a word of a command line ends that begins at i, within quotes when it was quoted.
func wordStop(text []byte, i, end int) int {
	quote := byte(0)
	if i > 0 && (text[i-1] == '"' || text[i-1] == '\'') {
		quote = text[i-1]
	}
	for k := i; k < end; k++ {
		c := text[k]
		switch {
		case quote != 0 && c == quote:
			if k+2 < end && text[k+1] == ':' {
				quote = 0
				continue
			}
			return k
		case quote == 0 && (c == '"' || c == '\'') && k > i && text[k-1] == ':':
			quote = c
		case quote == 0 && (c <= ' ' || c == '"' || c == '\'' || c == '`'):
			return k
		}
	}
	return end
}
