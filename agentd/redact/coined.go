package redact

import (
	"bytes"
	"strings"
	"unicode"
)

// coined says whether b is what people make of words when they are asked for a password: letters and digits, with a sign
// or not. Names of machines and versions look so too, so the place must say that a password stands there.
func coined(b []byte) bool {
	if len(b) < 6 || len(b) > 64 || !hasDigit(b) || isDigits(b) || !mixed(b) || placeholder(b) || reference(b) {
		return false
	}
	if linkish(b) || dateLike(b) || ordinal(b) || uuidAt(b) || digestLike(b) || named(b) || namedFile(b) || hexNumber(b) || decimal(b) {
		return false
	}
	if b[0] == '[' || b[0] == '/' || b[0] == '-' || bytes.ContainsAny(b, " \t()<>{}|;,\"`\\/") || address(b) {
		return false
	}
	k := bytes.IndexByte(b, '=')
	return !measure(b) && !product(b) && !(k >= 3 && k < len(b)-1 && letters(b[:k]) && wordy(b[:k]))
}

// ownSecrets are what a word stands before "secret" for, when a person may choose it and no program refers to it by a name.
var ownSecrets = set(`jwt signing client session sessions cookie cookies app application api webhook auth shared hmac token encryption nextauth csrf
	oauth oauth2 user hash access refresh state server my express flask rails consumer bot mail admin`)

// chosenSecret says whether a setting gives a secret that a person made up, as for signing sessions.
func (v value) chosenSecret(name, b []byte) bool {
	words := wordsOf(name)
	n := len(words)
	if n == 0 || words[n-1] != "secret" || n > 1 && !ownSecrets[words[n-2]] {
		return false
	}
	return (v.tight || v.quoted || v.whole) && !v.comma && len(b) >= 8 && coined(b)
}

// machineWords are parts of the names of machines and systems.
var machineWords = set(`srv server host node web app db sql vm pc nas prod test dev stage staging win windows ubuntu debian centos office
	office365 exchange cluster worker master site page line port version update build`)

// phrased says whether what is coined has a sign that names have not, or is made of words that name no machine.
func phrased(b []byte) bool {
	for _, w := range wordsOf(b) {
		if machineWords[strings.TrimRight(w, "0123456789")] {
			return false
		}
	}
	return marked(b) || sayable(b) || bytes.IndexByte(b, '_') > 0 && bytes.ContainsFunc(b, unicode.IsUpper) && bytes.ContainsFunc(b, unicode.IsLower)
}

// marked says whether what is coined has a sign, or a disorder, that no name has.
func marked(b []byte) bool { return bytes.ContainsAny(b, "!#$%&*+?@~^=") || choppy(b) }

// numbered says whether b is a word with a capital, a sign and a number: Maple-868.
func numbered(b []byte) bool {
	n := 0
	for n < len(b) && isLetter(b[n]) {
		n++
	}
	return n >= 4 && n+2 < len(b) && class[b[0]]&clsUpper != 0 && mixedLetters(b[:n]) && among("-._", b[n]) && isDigits(b[n+1:]) && !machineWords[strings.ToLower(string(b[:n]))]
}

// mixedLetters says whether small letters follow the first.
func mixedLetters(b []byte) bool { return len(b) > 1 && lowerTail(b) }

// choppy says whether small letters, capitals and digits take turns more often than in any name.
func choppy(b []byte) bool {
	const kinds = clsLower | clsUpper | clsDigit
	rows, seen := 0, uint16(0)
	for i, c := range b {
		k := class[c] & kinds
		seen |= k
		if i == 0 || k != class[b[i-1]]&kinds && (k != clsLower || class[b[i-1]]&clsUpper == 0) {
			rows++
		}
	}
	return len(b) >= 8 && seen == kinds && rows >= 5 && rows*5 >= len(b)*2
}

// products are sold, or counted, by a number behind their name.
var products = set(`windows office exchange server sharepoint outlook excel powerpoint visio teams team macos mac osx ios ipados android iphone ipad galaxy pixel ubuntu debian
	centos fedora rhel rocky alma suse opensuse mint java jdk python php node nodejs ruby perl rust golang net dotnet angular vue react swift kotlin chrome firefox safari edge
	opera photoshop acrobat autocad solidworks matlab sqlserver sql oracle postgres postgresql mysql mariadb mongodb redis elastic kafka spark hadoop kubernetes docker
	terraform ansible gpt claude llama gemini mistral covid agenda expo euro formula studio unity unreal minecraft fifa version release update build page room raum zimmer seite
	level stage step phase part teil kapitel chapter section figure table version gate terminal platform line bus tram route highway flight web layer area channel kanal
	ticket issue bug case task item boeing airbus log4shell http https sha md5 utf base aes rsa ipv tls ssl oauth vitamin omega win msoffice libreoffice openoffice typo joomla drupal wordpress magento`)

// product says whether b is such a name with its number.
func product(b []byte) bool {
	n := 0
	for n < len(b) && isLetter(b[n]) {
		n++
	}
	rest := bytes.TrimRight(b[n:], "!?")
	return n > 0 && isDigits(bytes.ReplaceAll(bytes.TrimLeft(rest, "-_."), []byte("."), nil)) && products[strings.ToLower(string(b[:n]))]
}

// measure says whether b is a number and few letters behind it, or one letter and a number: 12px, 500MB, v2.1, H264.
func measure(b []byte) bool {
	n := digitsAt(b, 0)
	if n > 0 && len(b)-n <= 3 && letters(b[n:]) {
		return true
	}
	dot := bytes.LastIndexByte(b, '.')
	return dot > 0 && !bytes.ContainsAny(b, "!#$%&*+?@~^=") && !(isDigits(b[dot+1:]) && dot >= 4 && letters(b[:dot])) && len(b)-dot <= 4
}

// emphatic is v with the sign at its end that is also one of the sentence: people end passwords with it.
func (v value) emphatic(text []byte) value {
	b := text[v.start:v.end]
	if !v.prose || v.quoted || v.end >= len(text) || !among("!?", text[v.end]) || !hasDigit(b) || isDigits(b) {
		return v
	}
	if next := v.end + 1; next >= len(text) || text[next] <= ' ' || among("\"'.,;)", text[next]) {
		v.end = next
	}
	return v
}
