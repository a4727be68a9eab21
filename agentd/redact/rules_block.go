package redact

import "bytes"

const kindPrivateKey = "private-key"

// armored finds private keys between BEGIN and END lines, whatever stands for line ends between them. One without an end
// goes as far as its lines look like one.
func armored(text []byte, i, n int, add func(span)) {
	head := text[i+n : min(len(text), i+n+100)]
	stop := bytes.Index(head, []byte("---"))
	if stop < 0 || !secretBlock(head[:stop]) {
		return
	}
	start := i
	for start > 0 && text[start-1] == '-' {
		start--
	}
	body := i + n + stop
	for body < len(text) && text[body] == '-' {
		body++
	}
	end := armorEnd(text, body)
	if bytes.Contains(text[body:end], []byte("[REDACTED:")) || end-body < 16 || emptyBody(text[body:end]) {
		return
	}
	add(span{start, end, -1, kindPrivateKey})
}

// secretBlock says whether a block of that title is secret.
func secretBlock(title []byte) bool {
	t := bytes.ToUpper(title)
	return bytes.Contains(t, []byte("PRIVATE")) || bytes.Contains(t, []byte("STATIC KEY")) || bytes.Contains(t, []byte("SECRET"))
}

const maxArmor = 64 << 10 // bytes of the longest key with its lines

// armorEnd is behind the END line of a block whose body begins at i.
func armorEnd(text []byte, i int) int {
	window := text[i:min(len(text), i+maxArmor)]
	if k := bytes.Index(window, []byte("-END")); k >= 0 {
		k += 4
		for k < len(window) && window[k] != '-' && window[k] != '\n' {
			k++
		}
		for k < len(window) && window[k] == '-' {
			k++
		}
		return i + k
	}
	if k := bytes.Index(window, []byte("-----")); k > 8 && (hasFold(window[k-3:], "key") || hasFold(window[k-9:], "key block")) {
		return i + k + 5 // a last line that is written otherwise
	}
	for k, c := range window {
		if class[c]&(clsBase64|clsSpace) == 0 && bytes.IndexByte([]byte("=\\:,;\"'&#"), c) < 0 || k > 1 && c == '\n' && window[k-1] == '\n' && k > 80 {
			return i + k
		}
	}
	return i + len(window)
}

// emptyBody says whether nothing like a key stands between the lines: dots, words, a placeholder.
func emptyBody(body []byte) bool {
	row, best := 0, 0
	for _, c := range body {
		if class[c]&clsBase64 != 0 && c != '-' {
			row++
			best = max(best, row)
			continue
		}
		row = 0
	}
	return best < 20
}

// putty finds the private lines of a PuTTY key.
func putty(text []byte, i, n int, add func(span)) {
	end := skipAny(text, i+n, 2, " ")
	if end >= len(text) || !isDigit(text[end]) {
		return
	}
	for end < len(text) && (text[end] != '\n' || end+1 < len(text) && (class[text[end+1]]&clsBase64 != 0 || text[end+1] == '\r')) {
		if k := end + 1; text[end] == '\n' && hasFold(text[k:], "private-mac") {
			end = wholeLine(text, k)
			break
		}
		end++
	}
	if end-i > n+16 {
		add(span{i, end, -1, kindPrivateKey})
	}
}

// webKey finds the private parts of a JSON Web Key that "kty" announces.
func webKey(text []byte, i, _ int, add func(span)) {
	from, to := i, i
	for from > 0 && text[from] != '{' && i-from < maxForm {
		from--
	}
	for to < len(text) && text[to] != '}' && to-i < 2*maxForm {
		to++
	}
	for _, member := range []string{`"d"`, `"p"`, `"q"`, `"dp"`, `"dq"`, `"qi"`, `"k"`} {
		k := bytes.Index(text[from:to], []byte(member))
		if k < 0 {
			continue
		}
		at := from + k + len(member)
		for at < to && (class[text[at]]&clsSpace != 0 || text[at] == ':' || text[at] == '"') {
			at++
		}
		end := at
		for end < to && class[text[end]]&clsBase64 != 0 {
			end++
		}
		if end-at >= 16 {
			add(span{at, end, -1, kindPrivateKey})
		}
	}
}

// seedPhrase finds the words of a wallet behind what announces them.
func seedPhrase(text []byte, i, n int, add func(span)) {
	at := i + n
	for at < len(text) && at < i+n+24 && (bytes.IndexByte([]byte(" :=\"'`*_-\n\t()[]"), text[at]) >= 0 || hasFold(text[at:], "is ") || hasFold(text[at:], "is:") || hasFold(text[at:], "words")) {
		if isLetter(text[at]) {
			at += 2
		}
		at++
	}
	start, words, end := at, 0, at
	for words < 24 {
		k := at
		for k < len(text) && class[text[k]]&clsLower != 0 {
			k++
		}
		if k-at < 3 || k-at > 8 {
			break
		}
		words++
		end = k
		for at = k; at < len(text) && at < k+6 && bytes.IndexByte([]byte(" ,\n\t0123456789.)\"'"), text[at]) >= 0; at++ {
		}
	}
	if words >= 12 && words%3 == 0 {
		add(span{start, end, -1, "seed-phrase"})
	}
}

// clusterSecret finds the data of a Kubernetes Secret, before or behind its kind.
func clusterSecret(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 6, "\"': \t")
	if at == i+n || !hasFold(text[at:], "secret") || at+6 < len(text) && isWord(text[at+6]) {
		return
	}
	low, high := max(0, i-maxForm), min(len(text), i+2*maxForm)
	if k := bytes.LastIndex(text[low:i], []byte("\n---")); k >= 0 {
		low += k + 4
	}
	if k := bytes.Index(text[i:high], []byte("\n---")); k >= 0 {
		high = i + k
	}
	for _, name := range []string{"data", "stringData"} {
		for from := low; ; {
			k := bytes.Index(text[from:high], []byte(name))
			if k < 0 {
				break
			}
			if from += k + len(name); from == len(name) || !isWord(text[from-len(name)-1]) {
				members(text, from, high, add)
			}
		}
	}
}

// members finds the values of the lines, or of the JSON object, that follow "data".
func members(text []byte, i, end int, add func(span)) {
	at := skipAny(text, i, 4, "\"' \t")
	if at >= end || text[at] != ':' {
		return
	}
	at = skipAny(text, at+1, 200, " \t\r\n{")
	for at < end && text[at] != '}' {
		stop := wholeLine(text[:end], at)
		colon := bytes.IndexByte(text[at:stop], ':')
		if colon < 0 {
			return
		}
		from := skipAny(text, at+colon+1, 4, " \t")
		v, ok := readValue(text, from, value{})
		if from < end && among("|>", text[from]) {
			v.start = min(end, skipAny(text, skipAny(text, from, 2, "|>+-"), 40, " \t\r\n"))
			v.end = indentedEnd(text[:end], v.start)
			stop, ok = v.end, v.end > v.start
		}
		if b := text[v.start:v.end]; ok && len(b) >= 4 && !placeholder(b) && !openMaterial(b) {
			add(span{v.start, v.end, -1, kindToken})
		}
		next := skipAny(text, max(stop, v.end), 200, " \t\r\n,\"")
		if line := bytes.LastIndexByte(text[:next], '\n') + 1; next >= end || line == next && text[at] != '"' {
			return
		}
		at = next
	}
}

// indentedEnd is where the lines end that stand as deep as the one in which i is the first sign.
func indentedEnd(text []byte, i int) int {
	depth := i - bytes.LastIndexByte(text[:i], '\n') - 1
	end := wholeLine(text, i)
	for next := end + 1; next < len(text); {
		first := skipAny(text, next, depth, " \t")
		if first-next < depth || text[first] <= ' ' {
			break
		}
		end = wholeLine(text, first)
		next = end + 1
	}
	return end
}

// openMaterial says whether base64 holds a certificate or a public key.
func openMaterial(b []byte) bool {
	return bytes.HasPrefix(b, []byte("LS0tLS1CRUdJTiBDRVJU")) || bytes.HasPrefix(b, []byte("LS0tLS1CRUdJTiBQVUJMSUM"))
}
