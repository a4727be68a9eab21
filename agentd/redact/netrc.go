package redact

import "bytes"

// netrc says whether the name at i stands in a line of a netrc file, or of a server's configuration that gives nothing
// but a name and a value.
func netrc(text []byte, i int) bool {
	line := lineStart(text, i)
	before := bytes.ToLower(text[line:i])
	if bytes.Contains(before, []byte("login ")) && !bytes.HasSuffix(before, []byte("login ")) || bytes.Contains(before, []byte("machine ")) || bytes.HasSuffix(before, []byte("config set ")) || bytes.HasPrefix(bytes.TrimSpace(before), []byte("user ")) && len(bytes.Fields(before)) == 2 {
		return true
	}
	low := bytes.ToLower(text[i:min(len(text), i+12)])
	return len(bytes.TrimSpace(before)) == 0 && (bytes.HasPrefix(low, []byte("requirepass")) || bytes.HasPrefix(low, []byte("masterauth")) || bytes.HasPrefix(low, []byte("password ")) && previousLogin(text[:line]))
}

func previousLogin(before []byte) bool {
	tail := bytes.ToLower(before[max(0, len(before)-80):])
	return bytes.Contains(tail, []byte("login ")) || bytes.Contains(tail, []byte("machine ")) || bytes.Contains(tail, []byte("\nuser "))
}
