package redact

// Vendors without an entry in a table still name their credentials alike: a few letters, a word that says what it is,
// and a tail made by chance. Identifiers of records have such tails too, but not these words before them.
var (
	prefixMarks = []string{
		"_live_", "_test_", "_prod_", "_sandbox_", "_secret_", "_api_", "_apikey_", "_pat_", "_sk_", "_token_", "_key_", "_sec_", "_admin_",
		"-live-", "-test-", "-prod-", "-secret-", "-api-", "-apikey-", "-token-", "-key-", "-sk-",
		"secret_", "token_", "apikey_", "apikey-", "api_key_", "sk_", "sk-", "tok_", "pat_", "key_",
	}
	// openPrefixes begin what is public, or names a record.
	openPrefixes = set(`pk pub public publishable cs pi seti price prod cus sub evt req id ref trace commit build cache etag hash idx index uk fk primary`)
)

// Lengths of a tail: shorter ones are found by the name that they are assigned to.
const (
	minTail    = 20
	minRunTail = 14 // characters of it without a sign: names of functions have short parts
	maxTail    = 200
	maxFront   = 24 // bytes before the word that are read
)

func prefixedWords() []keyword {
	return filled(prefixed, fillWord, prefixMarks...)
}

// prefixed finds a credential that says itself what it is.
func prefixed(text []byte, i, n int, add func(span)) {
	end := i + n
	for end < len(text) && end-i-n < maxTail && (isWord(text[end]) || text[end] == '-') {
		end++
	}
	if end-i-n < minTail || !ownPrefix(text, i) {
		return
	}
	start := i
	for start > 0 && i-start < maxFront && (isWord(text[start-1]) || text[start-1] == '-') {
		start--
	}
	if start > 0 && (isWord(text[start-1]) || among("./-+", text[start-1]) || text[start-1] == '=' && !signed(text, start-1)) {
		return
	}
	for _, w := range wordsOf(text[start : i+n]) {
		if openPrefixes[w] || digestWords[w] {
			return
		}
	}
	if v := text[i+n : end]; tailByChance(v) && !placeholder(text[start:end]) {
		add(span{start, end, -1, kindToken})
	}
}

// signed says whether the equals sign at i stands behind a name, and ends no base64.
func signed(text []byte, i int) bool {
	from := i
	for from > 0 && i-from < maxNameRun && nameByte(text[from-1]) {
		from--
	}
	return from < i && (i-from < 16 || wordy(text[from:i])) || i > 0 && among(" \"'", text[i-1])
}

// ownPrefix says whether the word at i begins a part of its own.
func ownPrefix(text []byte, i int) bool {
	return !isWord(text[i]) || text[i] == '_' || i == 0 || !isLetter(text[i-1]) && !isDigit(text[i-1])
}

// tailByChance says whether v is as only chance makes it: no words with numbers.
func tailByChance(v []byte) bool {
	if uuidAt(v) || len(v) >= 32 && digestLike(v) {
		return true
	}
	return longestRun(v) >= minRunTail && hasDigit(v) && varied(v) && !wordy(v) && !structured(v) && entropy(v) >= 3.2 && (byChance(v) || longestRun(v) >= minTail)
}

// longestRun is the length of the longest part of v without a sign.
func longestRun(v []byte) (best int) {
	row := 0
	for _, c := range v {
		if c == '-' || c == '_' {
			row = 0
			continue
		}
		row++
		best = max(best, row)
	}
	return best
}
