package redact

import "bytes"

// produced finds the result of what makes a password: in a state or a plan of Terraform.
func produced(text []byte, i, n int, add func(span)) {
	high := min(len(text), i+n+1600)
	for at := i + n; at < high; {
		k := bytes.Index(text[at:high], []byte("result"))
		if k < 0 {
			return
		}
		at += k + len("result")
		name := bytes.TrimRight(text[max(0, at-len("bcrypt_result")):at-len("result")], "\"' ")
		if bytes.HasSuffix(name, []byte("_")) {
			continue
		}
		sign := skipAny(text, at, 40, "\": =")
		if v, ok := readValue(text, skipAny(text, sign-1, 1, "\"")-1, value{}); ok && v.quoted && len(text[v.start:v.end]) >= 8 && !placeholder(text[v.start:v.end]) {
			add(span{v.start, v.end, -1, kindPassword})
			return
		}
	}
}

// combination finds the numbers that open a safe.
func combination(text []byte, i, n int, add func(span)) {
	line, end := lineStart(text, i), lineEnd(text, i)
	near := bytes.ToLower(text[line:end])
	for _, w := range []string{"safe", "lock", "vault", "padlock", "strongbox", "tresor", "schloss", "coffre", "caja fuerte", "cassaforte", "kluis", "cadenas"} {
		if !bytes.Contains(near, []byte(w)) {
			continue
		}
		at := i + n
		for at < min(end, i+n+24) && !isDigit(text[at]) {
			at++
		}
		stop, groups := at, 0
		for stop < end && digitsAt(text, stop) == 2 {
			groups++
			if stop += 2; stop >= end || !among("- /", text[stop]) || digitsAt(text, stop+1) != 2 {
				break
			}
			stop++
		}
		if groups >= 3 {
			add(span{at, stop, -1, "pin"})
		}
		return
	}
}

// accountLines finds the passwords of a list that gives a name and a password in each of its lines, with a colon between.
func accountLines(text []byte, i, n int, add func(span)) {
	at := lineEnd(text, i+n)
	for range 12 {
		if at++; at >= len(text) {
			return
		}
		end := lineEnd(text, at)
		line := bytes.TrimSpace(bytes.TrimLeft(text[at:end], " \t-\"'"))
		colon := bytes.IndexByte(line, ':')
		if colon < 0 || len(text[at:end]) > maxNameRun+maxQuoted {
			return
		}
		pass := bytes.TrimRight(line[colon+1:], "\"' \r")
		if identifier(line[:colon]) && len(pass) >= 4 && pass[0] > ' ' && !placeholder(pass) && !genericValue[string(pass)] && !bytes.EqualFold(pass, []byte("random")) && pass[0] != '$' {
			k := at + bytes.Index(text[at:end], line) + colon + 1
			add(span{k, k + len(pass), -1, kindPassword})
		}
		at = end
	}
}

// prompted finds the password that somebody gives to a database at its prompt.
func prompted(text []byte, i, n int, add func(span)) {
	end := lineEnd(text, i)
	words := bytes.Fields(text[min(i+n, end):end])
	if len(words) == 0 || len(words) > 2 {
		return
	}
	b := words[len(words)-1]
	if len(b) < 4 || placeholder(b) || generic(b) {
		return
	}
	stop := i + n + bytes.LastIndex(text[i+n:end], b) + len(b)
	add(span{stop - len(b), stop, -1, kindPassword})
}
