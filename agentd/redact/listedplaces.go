package redact

import "strings"

// listedStems are passwords that stand without a sign behind a user or a machine.
const listedStems = ` hasło | heslo | passwort | kennwort | password | wachtwoord | lösenord | losenord | adgangskode | kodeord | passord | salasana | contraseña | clave | senha | parola | jelszó | şifre | пароль | mot de passe | mdp | lozinka | geslo | κωδικός `

// placeWords say that a line is about logging in somewhere.
var placeWords = []string{"ssh", "vnc", "rdp", "ftp", "sql", "panel", " id ", "anydesk", "teamviewer", "login", "user", "host", "server", "http", "192.168.", "10."}

// listedPlaces finds the password behind such a word, and the strong words behind the places that the line goes on to name.
func listedPlaces(text []byte, i, n int, add func(span)) {
	v := wordAt(text, i+n).emphatic(text)
	b := text[v.start:v.end]
	near := text[max(lineStart(text, i), i-80):i]
	if !coined(b) || class[b[0]]&(clsLower|clsUpper|clsDigit) == 0 || !listEnds(text, v.end) || hasFold(b, "sha") || hasFold(b, "md5") || ofTalk(b) || otherWord(text, i) || !userBefore(text, i) && !mentions(near, placeWords...) {
		return
	}
	add(span{v.start, v.end, -1, kindPassword})
	line := min(lineEnd(text, v.end), v.end+200)
	for at := v.end; at < line; {
		k := skipAny(text, at, 3, ",;) ")
		for k < line && text[k] != ',' && text[k] != ';' {
			k++
		}
		part := value{start: wordStart(text, k), end: k}
		for part.end > part.start && among(".)", text[part.end-1]) {
			part.end--
		}
		if b := text[part.start:part.end]; part.start > at && (strongWord(b) || coined(b) && (marked(b) || len(b) >= 8 && mixedCase(b) && !wordy(b) || bios(text, part.start))) {
			add(span{part.start, part.end, -1, kindPassword})
		}
		at = k + 1
	}
}

// bios says whether the word before i is a place whose password stands right behind it.
func bios(text []byte, i int) bool {
	return i > 0 && strings.EqualFold(string(text[wordStart(text, i-1):i-1]), "bios")
}

// listEnds is endsClause, also before a bracket that explains.
func listEnds(text []byte, i int) bool {
	return endsClause(text, i) || i+1 < len(text) && text[i] == ' ' && among("(;/|–-", text[i+1])
}

// otherWord says whether the word that ends at i says that what follows is about passwords in general.
func otherWord(text []byte, i int) bool {
	w := strings.ToLower(string(text[wordStart(text, i):i]))
	return otherWords[w] && !mentions([]byte(w), "login") || stopWords[w]
}

// airDigits finds the digits that open a network behind its common name.
func airDigits(text []byte, i, n int, add func(span)) {
	v := wordAt(text, i+n)
	b := text[v.start:v.end]
	if len(b) >= 8 && len(b) <= 20 && isDigits(b) && endsClause(text, v.end) && !hasFold(b, "19") && !hasFold(b, "20") {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// merely finds what somebody who was told to log in is told to type.
func merely(text []byte, i, n int, add func(span)) {
	v := wordAt(text, skipAny(text, i+n, 1, "\"'`")).emphatic(text)
	if b := text[v.start:v.end]; composed(b) && hasDigit(b) && mentions(text[max(0, i-120):i], "log in", "login", "log on", "sign in", "unlock", "password", "einloggen", "anmelden", "entsperr", "connect", "contraseñ", "entrar", "accedi", "inlog", "zalog", "wifi", "wlan") {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// merelyWords give it away as nothing much.
const merelyWords = `it's just |it is just |es ist einfach |ist einfach nur |c'est juste |c'est simplement |es solo |è solo |è semplicemente |het is gewoon |to po prostu |это просто |é só |det är bara |det er bare `

// asPhrase finds the words that a sentence says to use as a passphrase.
func asPhrase(text []byte, i, _ int, add func(span)) {
	from := max(lineStart(text, i), i-100)
	for at := i; at > from; {
		start := wordStart(text, at-1)
		if start < from || start >= at {
			return
		}
		if typingWords[strings.ToLower(string(text[start:at-1]))] {
			phraseBetween(text, at, i, add)
			return
		}
		if at = start; at > 0 && among(".;:!?", text[max(0, at-2)]) {
			return
		}
	}
}

func phraseBetween(text []byte, start, end int, add func(span)) {
	b := strings.Trim(string(text[start:end]), " \"'")
	words := strings.Fields(b)
	if len(words) < 4 || len(words) > 10 || strings.ContainsAny(b, ",()<>{}=:/$%") || aboutPhrase[strings.ToLower(words[0])] {
		return
	}
	for _, w := range words {
		if low := strings.ToLower(w); genericValue[low] || phraseNames[low] {
			return
		}
	}
	start += strings.Index(string(text[start:end]), b)
	add(span{start, start + len(b), -1, kindPassword})
}

var (
	typingWords = set(`uses types typed used nutzt tippt verwendet utilise tape usa usamos utilizza gebruikt typt używa använder skriver`)
	// aboutPhrase begin what a program, and no person, takes as a passphrase; phraseNames are words of such sentences.
	aboutPhrase = set(`the this that a an its your their his her it der die das den le la les l' un une el lo il de het contents same`)
	phraseNames = set(`file line input output stdin argument value variable environment string key hash bytes contents user users default following data first name id`)
)

// asPhraseWords end such sentences.
const asPhraseWords = ` as the passphrase| as a passphrase| as passphrase| as her passphrase| as his passphrase| as the password| als passphrase| als passwort| comme phrase de passe| comme mot de passe| como contraseña| come passphrase| come password| als wachtwoord| jako hasło| som lösenord| som passord`

// qualifiedWords are passwords with what they are for in one word, and passwords that are set to what follows.
const qualifiedWords = `mot de passe d'import |mot de passe d'export |mot de passe d’import |mot de passe provisoire |mot de passe temporaire |import password |export password |importkennwort |importpasswort |initialpasswort |startpasswort |startkennwort |temporary password |initial password |contraseña temporal |password temporanea |password provvisoria |senha provisória |tijdelijk wachtwoord |hasło na |heslo na |ароль на |wachtwoord naar |lösenordet till |passordet til |adgangskoden til `

// qualified finds the word behind such a name when it is the last of its clause.
func qualified(text []byte, i, n int, add func(span)) {
	v := wordAt(text, skipAny(text, i+n, 1, "\"'`")).emphatic(text)
	if b := text[v.start:v.end]; coined(b) && listEnds(text, v.end) && !ofTalk(b) && (phrased(b) || len(b) >= 8 && mixedCase(b) && !wordy(b)) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}
