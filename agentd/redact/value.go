package redact

import (
	"bytes"
	"math"
	"strings"
)

// placeholder says whether a value only shows where one belongs: a variable, a reference, a mask, a mark.
func placeholder(v []byte) bool {
	v = bytes.Trim(v, "\"'` ")
	if len(v) == 0 || masked(v) || templated(v) {
		return true
	}
	low := strings.ToLower(string(v))
	if strings.Contains(low, "example") || yours(v) || (strings.HasPrefix(low, "my-") || strings.HasPrefix(low, "my_")) && !hasDigit(v) ||
		strings.Contains(low, "changeme") || strings.Contains(low, "change-me") || strings.Contains(low, "change_me") || strings.Contains(low, "placeholder") || strings.Contains(low, "redacted") {
		return true
	}
	if strings.HasSuffix(low, "...") && len(low) <= 24 || strings.HasSuffix(low, "…") && len(low) <= 24 {
		return true
	}
	parts := strings.FieldsFunc(low, func(r rune) bool { return strings.ContainsRune("_-. /:", r) })
	if !hasDigit(v) {
		parts = wordsOf(v) // capitals begin words only where no chance made them
	}
	if jumbled(v) {
		return false // chance writes short words too
	}
	for _, w := range parts {
		if (placeholderWords[w] || w == "your") && (len(w) > 3 || !hasDigit(v) || !mixedCase(v)) {
			return true
		}
	}
	return false
}

// yours says whether v begins with the word that shows who is to put something there.
func yours(v []byte) bool {
	return bytes.HasPrefix(v, []byte("your")) || bytes.HasPrefix(v, []byte("Your")) || bytes.HasPrefix(v, []byte("YOUR"))
}

// masked says whether v is made of one or two signs over and over, or begins with a row of stars.
func masked(v []byte) bool {
	if bytes.HasPrefix(v, []byte("****")) || bytes.HasPrefix(v, []byte("••••")) || len(v) >= 6 && bytes.Count(v, []byte("x"))+bytes.Count(v, []byte("X"))+bytes.Count(v, []byte("*")) > len(v)*6/10 {
		return true
	}
	seen := map[byte]bool{}
	for _, c := range v {
		if seen[c|0x20] = true; len(seen) > 2 || len(seen) == 2 && isDigit(c) {
			return false
		}
	}
	return len(v) >= 3 && len(seen) == 1 || len(v) >= 8
}

var openers = []string{
	"${", "$(", "{{", "<", "#{", "@{", "%{", "%(", "&lt;", "&#x3c;", "&#60;", "\\u003c", "[secret:", "[redacted", "secret_ref(", "!vault", "!ref", "!sub",
	"op://", "ref+", "@@", ".*", ".+", "[^", "([^", "(.*", "(?", "\\s", "\\w", "[a-z", "[0-9", "[a-f", "arn:aws:", "vault:", "env:", "env(", "env.", "file:", "file(", "ssm:", "var.", "os.environ", "process.env", "getenv", "$env:", "secrets.", "enc[", "aws-ssm:", "projects/", "keyvault", "@microsoft.keyvault", "%!", "{%", "data.", "~/", "./", "../", "http://", "https://",
}

// templated says whether v is filled in by something else.
func templated(v []byte) bool {
	for _, o := range openers {
		if hasFold(v, o) {
			return true
		}
	}
	switch {
	case joinedText(v), bytes.HasPrefix(v, []byte("__")) && bytes.HasSuffix(v, []byte("__")):
		return true
	case v[0] == '{' && v[len(v)-1] == '}', v[0] == '(' && v[len(v)-1] == ')', v[0] == '[' && v[len(v)-1] == ']', len(v) > 2 && v[0] == '%' && v[len(v)-1] == '%':
		return true
	case v[0] == '$' && len(v) > 1:
		return variable(v[1:])
	case v[0] == '%' && len(v) <= 3:
		return true
	}
	return false
}

// joinedText says whether v is the name of something between two texts that a program joins to it.
func joinedText(v []byte) bool {
	spaced := len(v) > 0 && v[0] == ' '
	v = bytes.TrimSpace(v)
	if len(v) < 2 || v[0] != '+' && v[0] != '&' || v[0] == '+' && !spaced && v[len(v)-1] != '+' && (len(v) > 12 || class[v[1]]&clsLower == 0) {
		return false
	}
	v = bytes.Trim(v[1:], " +&.")
	return identifier(v) && (v[0] == '_' || isLetter(v[0])) && !jumbled(v) && (!hasDigit(v) || wordy(v))
}

// variable says whether v could name a variable: capitals, or small letters only.
func variable(v []byte) bool {
	lower := false
	for _, c := range v {
		lower = lower || class[c]&clsLower != 0
		if !isWord(c) && c != '.' && c != ':' && c != '[' && c != ']' && c != '-' && c != '>' && c != '\'' {
			return false
		}
	}
	return !lower || !hasDigit(v)
}

// reference says whether an unquoted value is an expression of a program and not a text.
func reference(v []byte) bool {
	if i := bytes.IndexAny(v, "([{"); i > 0 && identifier(bytes.TrimLeft(v[:i], "&*!@$[]")) {
		return true
	}
	if bytes.Contains(v, []byte("::")) || bytes.Contains(v, []byte("->")) || bytes.HasPrefix(v, []byte("!")) && identifier(v[1:]) && !hasDigit(v) {
		return true
	}
	if v[0] == '(' && len(v) > 2 && identifier(v[1:]) && !hasDigit(v) {
		return true
	}
	if bytes.HasPrefix(v, []byte("[]")) || v[0] == '[' && bytes.IndexByte(v, '(') > 0 {
		return true
	}
	v = bytes.TrimLeft(v, "&*@+")
	if typeName(v) {
		return true
	}
	if dot := bytes.IndexByte(v, '.'); dot > 0 && identifier(v) && !jumbled(v) && (!hasDigit(v) || naming(v) && wordy(v)) {
		return true
	}
	return identifier(v) && naming(v)
}

// naming says whether an identifier speaks of a secret itself: it is the name of one.
func naming(v []byte) bool {
	words := wordsOf(v)
	if len(words) == 1 && !genericValue[words[0]] || len(words) >= 5 && len(v) < 3*len(words) {
		return false
	}
	for _, w := range words {
		if w == "password" || w == "passwd" || w == "token" || w == "secret" || w == "key" || w == "pwd" || w == "apikey" || w == "passphrase" || w == "credentials" || w == "salt" || w == "pass" {
			return !hasDigit(v) || len(words) > 1 && !mixedDigits(words)
		}
	}
	return false
}

// mixedDigits says whether digits stand within the words of a name, and not as one of them.
func mixedDigits(words []string) bool {
	for _, w := range words {
		if hasDigit([]byte(w)) && !numeral(w) && len(strings.TrimRight(w, "0123456789")) != len(w)-1 {
			return true
		}
	}
	return false
}

func identifier(v []byte) bool {
	if len(v) == 0 || isDigit(v[0]) {
		return false
	}
	for _, c := range v {
		if !isWord(c) && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

func hasDigit(v []byte) bool {
	for _, c := range v {
		if isDigit(c) {
			return true
		}
	}
	return false
}

func mixedCase(v []byte) bool {
	var up, low bool
	for i, c := range v {
		up = up || i > 0 && class[c]&clsUpper != 0
		low = low || class[c]&clsLower != 0
	}
	return up && low
}

// letters says whether v is a word or words joined by hyphens.
func letters(v []byte) bool {
	for _, c := range v {
		if !isLetter(c) && c != '-' && c != '_' && c < 0x80 {
			return false
		}
	}
	return true
}

// entropy is Shannon's, in bits for each byte.
func entropy(v []byte) float64 {
	var count [256]int
	for _, c := range v {
		count[c]++
	}
	h, n := 0.0, float64(len(v))
	for _, k := range count {
		if k > 0 {
			p := float64(k) / n
			h -= p * math.Log2(p)
		}
	}
	return h
}

// wordy says whether v is made of words: a name, a path, a sentence without spaces.
func wordy(v []byte) bool {
	in, row, vowels, cluster, odd := 0, 0, 0, 0, false
	flush := func() {
		if row >= 3 && vowels > 0 && 6*vowels >= row && !odd {
			in += row
		}
		row, vowels, cluster, odd = 0, 0, 0, false
	}
	for i, c := range v {
		if !isLetter(c) || class[c]&clsUpper != 0 && i > 0 && class[v[i-1]]&clsLower != 0 {
			flush()
		}
		if isLetter(c) {
			row++
			if strings.IndexByte("aeiouyAEIOUY", c) >= 0 {
				vowels++
				cluster = 0
			} else if cluster++; cluster >= 5 {
				odd = true
			}
			if row > 1 && oddPair(v[i-1]|0x20, c|0x20) {
				odd = true
			}
		}
	}
	flush()
	digits, rows := 0, 0
	for i, c := range v {
		if isDigit(c) {
			digits++
			if i == 0 || !isDigit(v[i-1]) {
				rows++
			}
		}
	}
	if jumbled(v) || len(v) <= 24 && digits > 0 && bytes.ContainsAny(bytes.TrimLeft(v, "*+"), "!#$%^*?~=+") {
		return false
	}
	tiny, parts := 0, wordsOf(v)
	for _, w := range parts {
		if len(w) <= 2 {
			tiny++
		}
	}
	if tiny >= 3 && digits > 0 && len(v) <= 24 && mixedCase(v) {
		return false
	}
	if (rows >= 3 || tiny >= 3) && !bytes.ContainsAny(v, "-_/. ") {
		return false // numbers and single letters do not stand all over words
	}
	return in*10 >= (len(v)-strings.Count(string(v), "-")-strings.Count(string(v), "_")-strings.Count(string(v), "/")-strings.Count(string(v), "."))*7 && digits*5 <= len(v)
}

// jumbled says whether a long part of v has capitals and digits all over: words are longer than what stands between them.
func jumbled(v []byte) bool {
	for len(v) > 0 {
		k := bytes.IndexAny(v, "-_/. +:")
		part := v
		if v = nil; k >= 0 {
			part, v = part[:k], part[k+1:]
		}
		if len(part) < 16 || !mixedCase(part) {
			continue
		}
		if n := len(wordsOf(part)); n >= 4 && len(part) < 4*n || hasDigit(part) && n >= 4 && len(part) < 5*n {
			return true
		}
	}
	return false
}

// randomish says whether v looks made by a machine.
func randomish(v []byte) bool {
	if len(v) < 8 || wordy(v) || dateLike(v) {
		return false
	}
	e := entropy(v)
	switch {
	case len(v) < 16:
		return hasDigit(v) && mixed(v) && e >= 2.5
	case hasDigit(v):
		return e >= 3
	}
	return mixedCase(v) && (e >= 3.5 || e >= 3 && jumbled(v)) || e >= 3.7
}

// dateLike says whether v is a date, a version, a number, an address: digits and signs with at most few letters.
func dateLike(v []byte) bool {
	letters := 0
	for _, c := range v {
		if isLetter(c) {
			letters++
		}
	}
	return letters*8 < len(v) && bytes.ContainsAny(v, ".:-/,+") || letters == 0 && len(v) < 20
}

// uuidAt says whether v is a UUID.
func uuidAt(v []byte) bool {
	if len(v) != 36 {
		return false
	}
	for i, c := range v {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !isHex(c) {
			return false
		}
	}
	return true
}

// digestLike says whether v has the form of a digest: as many hexadecimal digits as one has.
func digestLike(v []byte) bool {
	switch len(v) {
	case 7, 8, 10, 12, 16, 32, 40, 56, 64, 96, 128:
	default:
		return false
	}
	for _, c := range v {
		if !isHex(c) {
			return false
		}
	}
	return true
}

// oddPairs are letters that hardly stand beside each other in words, but do by chance.
const oddPairs = "bq bx cj cx dx fq fx fz gq gx gz hx hz jb jc jd jf jg jh jk jl jm jn jp jq jr js jt jv jw jx jy jz kq kx kz lq lx mq mx mz pq pv pz px qb qc qd qe qf qg qh qi qj qk ql qm qn qo qp qr qs qt qv qw qx qy qz rx sx sz tq tx vb vc vd vf vg vh vj vk vm vn vp vq vt vw vx vz wq wv wx wz xb xd xg xj xk xn xq xr xv xw xz yq yz zb zc zd zf zg zj zk zm zn zp zq zr zs zt zv zw zx"

var odd = func() (t [26][26]bool) {
	for i := 0; i+1 < len(oddPairs); i += 3 {
		t[oddPairs[i]-'a'][oddPairs[i+1]-'a'] = true
	}
	return t
}()

func oddPair(a, b byte) bool {
	return a >= 'a' && a <= 'z' && b >= 'a' && b <= 'z' && odd[a-'a'][b-'a']
}

// varied says whether v has enough different characters to be made by chance.
func varied(v []byte) bool {
	var seen [256]bool
	n := 0
	for _, c := range v {
		if !seen[c|0x20] {
			seen[c|0x20] = true
			n++
		}
	}
	return n >= 6
}
