package ingress

import (
	"encoding/base32"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

func base64s(s string) (found []string) {
	for _, m := range base64Runs(s) {
		b, err := base64.RawStdEncoding.DecodeString(m[:len(m)-tail(len(m))])
		if err == nil && len(found) < 400 {
			found = append(found, readable(b)...)
		}
	}
	return found
}

var base64Signs = signsOf(digits + lowers + uppers + "+/_-")

// base64Runs gives what can be base64, of the usual alphabet and without filling. A run goes on in the next line.
func base64Runs(s string) (all []string) {
	var run strings.Builder
	done := func() {
		if run.Len() >= 12 {
			all = append(all, run.String())
		}
		run.Reset()
	}
	for i := 0; i < len(s); {
		n := 0
		for i+n < len(s) && s[i+n] < utf8.RuneSelf && base64Signs[s[i+n]] {
			n++
		}
		if n < 4 && run.Len() == 0 || n == 0 {
			done()
			i += max(n, 1)
			continue
		}
		run.WriteString(base64Usual.Replace(s[i : i+n]))
		i += n
		next := lineEnd.FindString(s[i:min(len(s), i+40)])
		if next == "" {
			done()
		}
		i += len(next)
	}
	done()
	return all
}

var (
	base64Usual = strings.NewReplacer("-", "+", "_", "/")
	lineEnd     = lazyre.MustCompile(`^[ \t]*\r?\n[ \t>]*`)
)

// tail is 1 when a lone sign is left that codes no whole byte.
func tail(n int) int {
	if n%4 == 1 {
		return 1
	}
	return 0
}

func base32s(s string) (found []string) {
	for _, m := range base32Signs.in(s, 16) {
		for len(m)%8 == 1 || len(m)%8 == 3 || len(m)%8 == 6 {
			m = m[:len(m)-1]
		}
		if b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(m); err == nil {
			found = append(found, readable(b)...)
		}
	}
	return found
}
