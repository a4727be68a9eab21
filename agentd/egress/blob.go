package egress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// From how many signs on encoded bytes are more than a key, a signature or a hash. What is packed is data at once.
const (
	longBlob   = 800
	packedBlob = 160
	longLine   = 40 // the first line of encoded bytes
	nextLine   = 16
)

var (
	// publicBlob stands before encoded bytes that are no secret: a picture, a certificate, a public key.
	publicBlob = lazyre.MustCompile(`(?i)(?:data:(?:image|font)/[\w.+-]+(?:;[\w=-]+)*;base64,\s*|begin (?:trusted )?certificate-----\s*|public key(?: block)?-----[\s\S]{0,60}|ssh-(?:rsa|ed25519|dss) |pgp signature-----[\s\S]{0,60}|\bp=)$`)
	// sealed begins what is made to be read by nobody on the way; hexLine is a line of a dump of bytes.
	sealed  = lazyre.MustCompile(`(?m)^-----BEGIN (?:PGP MESSAGE|PKCS7|CMS|AGE ENCRYPTED FILE)-----|^begin [0-7]{3} \S+\s*\n[M!-_]|data:application/[\w.+-]+(?:;[\w=-]+)*;base64,[A-Za-z0-9+/]{100}`)
	hexLine = lazyre.MustCompile(`(?m)^[0-9a-f]{6,8}:?(?: {1,2}[0-9a-f]{2,8}){4,16}`)
	// Heads of files as base64 writes them: what people look at, and what packs other files.
	pictures = []string{"iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0", "PHN2Zy", "AAAAIGZ0eXA", "AAAAHGZ0eXA"}
	packed   = []string{"H4sI", "UEsDB", "N3q8rycc", "QlpoO", "/Td6WFo", "UmFyIR", "KLUv/", "eJy", "eJx", "eNo", "eNp", "U2FsdGVkX1", "1f8b08", "1f8b", "504b0304"}
)

// hexLines is how many lines of hex digits are a dump.
const hexLines = 6

// blobs finds bytes in base64 or hex that nobody can read before they leave.
func blobs(m *message, f *found) {
	shown := m.text[:len(m.text)-len(m.decoded)]
	if strings.Contains(shown, "egin ") && sealed.MatchString(shown) || strings.Contains(shown, "-----BEGIN ") && sealed.MatchString(shown) ||
		strings.Contains(shown, ";base64,") && sealed.MatchString(shown) || len(m.tokens) > 8*hexLines && strings.Contains(shown, "0000") && len(hexLine.FindAllString(shown, hexLines)) == hexLines {
		f.add(Blob)
	}
	for at := 0; at < len(shown); {
		b, to := blobAt(shown, at)
		if len(b) >= packedBlob && m.isBlob(b, at) {
			f.add(Blob)
			return
		}
		at = to + 1
	}
}

// blobAt gives the signs of base64 that begin at a place, and where they end; they go on in the next lines.
func blobAt(s string, at int) (b string, end int) {
	end = at
	for least := longLine; ; least = nextLine {
		from := end
		for end < len(s) && base64Signs[s[end]] {
			end++
		}
		if end-from < least {
			return b, max(end, at)
		}
		b += s[from:end]
		n := len(s[end:]) - len(strings.TrimLeft(s[end:], "\r\n \t>"))
		if n == 0 || !strings.Contains(s[end:end+n], "\n") {
			return b, end
		}
		end += n
	}
}

var base64Signs = func() (is [256]bool) {
	for c := range is {
		is[c] = alphanumeric[c] || c == '+' || c == '/' || c == '_' || c == '-'
	}
	return is
}()

// isBlob says whether the signs at a place are bytes that are not meant to be seen by all.
func (m *message) isBlob(b string, at int) bool {
	if publicBlob.MatchString(m.text[max(0, at-90):at]) || startsWith(b, pictures) || !mixed(b) || m.inLink(at) {
		return false
	}
	return len(b) >= longBlob || startsWith(b, packed)
}

func startsWith(s string, heads []string) bool {
	for _, h := range heads {
		if strings.HasPrefix(s, h) {
			return true
		}
	}
	return false
}

// mixed tells encoded bytes from a ruler, a word or a path that goes on and on: many different signs, digits among them.
func mixed(b string) bool {
	seen := map[byte]bool{}
	for i := range min(len(b), 400) {
		seen[b[i]] = true
	}
	return len(seen) >= 14 && strings.ContainsAny(b, "0123456789")
}
