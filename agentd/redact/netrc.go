package redact

import "bytes"

// netrc says whether the name at i stands in a line of a netrc file, or of a server's configuration that gives nothing
// but a name and a value.
func netrc(text []byte, i int) bool {
	line := lineStart(text, i)
	before := bytes.ToLower(text[line:i])
	words := bytes.Fields(before)
	if n := len(words); n >= 2 && (bytes.HasSuffix(words[n-2], []byte("login")) || string(words[0]) == "machine" || string(words[0]) == "user" && n == 2 && !bytes.HasSuffix(words[1], []byte(","))) || bytes.HasSuffix(before, []byte("config set ")) {
		return true
	}
	low := bytes.ToLower(text[i:min(len(text), i+12)])
	return len(bytes.TrimSpace(before)) == 0 && (bytes.HasPrefix(low, []byte("requirepass")) || bytes.HasPrefix(low, []byte("masterauth")) || bytes.HasPrefix(low, []byte("password ")) && previousLogin(text[:line]))
}

func previousLogin(before []byte) bool {
	tail := bytes.ToLower(before[max(0, len(before)-80):])
	return bytes.Contains(tail, []byte("login ")) || bytes.Contains(tail, []byte("machine ")) || bytes.Contains(tail, []byte("\nuser "))
}
