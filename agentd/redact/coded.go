package redact

import (
	"bytes"
	"strings"
)

// codeStems are what people call a number that lets somebody in.
const codeStems = `code|codice|código|codigo|kod |kodu |koden|kodet|kods|kód |kode |од|koodi|kodunuz|kapukód|ifresi |비밀번호|認証コード|確認コード|验证码|驗證碼|인증 코드|ωδικ|κωδικ|combin|kombination|passcode|pass code|geheimzahl|identification number|unlock|entsperr|인증번호|确认码|host key|pin |pins |pinn |pin-kode|пин |пін |pincode|digo de`

// ownWords say whose code it is: who writes so to somebody sends it.
var ownWords = []string{"your ", "you", "ihr ", "dein", "votre", "ton ", "tu ", "su ", "seu ", "sua ", "tuo ", "suo ", "il tuo", "je ", "uw ", "jouw", "twój", "twoj", "ваш", "твой", "din ", "dit ", "ditt ", "váš", "tvůj", "kodunuz", "認証", "確認コ", "验证", "驗證", "인증", "az ön", "sinun", "personal identification", "bestätigung", "verif", "confirm"}

// barWords are what a code opens, in the languages of the lexicon.
var barWords = []string{
	"safe", "door", "gate", "alarm", "garage", "lock", "shed", "building", "entrance", "keypad", "elevator", "locker", "barrier", "tür", "tresor", "tor ", "schloss", "schlüssel", "scharf", "porte", "portail", "coffre", "serrure", "puerta", "porta", "portone",
	"cancello", "cassetta", "cassaforte", "portão", "cofre", "alarma", "verja", "candado", "deur", "kluis", "hek", "slot", "drzwi", "bram", "sejf", "furtk", "domofon", "πόρτα", "συναγερμ", "χρηματοκιβ", "двер", "домофон", "калитк", "сейф", "сигнализац",
	"ворот", "воріт", "замк", "шлагбаум", "dveře", "dveř", "brán", "trezor", "kapı", "kasa", "dør", "dörr", "port", "grind", "ovi", "ajtó", "kapu", "riasztó", "tablet", "phone", "handy", "telefon", "карт", "kart", "card", "carte", "tarjeta", "cartão", "voicemail", "unlock", "sim", "keybox",
	"schließ", "fach", "poort", "lås", "digicode", "immeuble", "larm", "allarme", "antifurto", "arrosage", "nøgleb", "skrzynk", "현관", "도어", "금고", "kapu", "pickup", "abholung",
}

// coded finds the number of a sentence that calls it a code: of a message that confirms something, of a lock, of a card.
func coded(text []byte, i, n int, add func(span)) {
	if !codeName(text, i) {
		return
	}
	if i > 1 && otherCodes[strings.ToLower(string(text[wordStart(text, i-1):i-1]))] {
		return
	}
	from := i + n
	line := min(lineEnd(text, i), from+80)
	if line < len(text) && line > from && text[line-1] == ':' { // it stands below
		line = lineEnd(text, skipAny(text, line, 40, " \t\r\n"))
	}
	for k := from; k < line; k++ {
		switch c := text[k]; {
		case c == '?' || c == '!' || c == ';' || c == '=' || c == '{' || c == '/' || c == '<' || c == '>' || c == '|' || c == '"' || c == '_' || c == '[' && k+1 < line && isLetter(text[k+1]) || c == '.' && k+1 < len(text) && text[k+1] <= ' ':
			return
		case isDigit(c) || class[c]&clsUpper != 0 && k+1 < line && isDigit(text[k+1]):
			if !among(" [:(,*#\"'\n", text[k-1]) && text[k-1] < 0x80 { // in a word
				for k+1 < line && text[k+1] > ' ' {
					k++
				}
				continue
			}
			if v, ok := codeGroup(text, k, lineEnd(text, k)); ok && codeMeant(text, i, n, v) {
				add(span{v.start, v.end, -1, "pin"})
			}
			return
		}
	}
}

// codeName says whether the name at i is a word of a sentence, or ends one that says what the code opens.
func codeName(text []byte, i int) bool {
	if i == 0 {
		return true
	}
	if among("_$./=<\"'({&?", text[i-1]) || isDigit(text[i-1]) {
		return false
	}
	from := wordStart(text, i)
	if bytes.HasPrefix(text[i:], []byte("од")) {
		word := bytes.TrimLeft(text[from:i], "\"'(-")
		return string(word) == "к" || string(word) == "К"
	}
	if !isLetter(text[i-1]) && text[i-1] < 0x80 {
		return true
	}
	return mentions(text[from:i], barWords...) || mentions(text[from:i], ownWords...) || mentions(text[from:i], "digi") || text[i] >= 0x80 && text[i-1] >= 0x80
}

// codeMeant says whether the words around the number say that it is what the name promises.
func codeMeant(text []byte, i, n int, v value) bool {
	between := text[i+n : v.start]
	low := max(lineStart(text, i), i-60)
	near := text[low:v.start]
	pinned := hasFold(text[i:], "pin") || hasFold(text[i:], "passcode") || hasFold(text[i:], "geheimzahl") || hasFold(text[i:], "host key") || hasFold(text[i:], "personal")
	plain, used := isDigits(text[v.start:v.end]), mentions(near, "use code", "enter code", "use the code", "enter the code")
	switch {
	case plain && v.end-v.start == 4 && yearLike(text, v):
		return false
	case mentions(between, "error", "status", "length", "digits", "ziffern", "chars", "page", "line", "version", "http"):
		return false
	case plain && v.end-v.start == 4 && !pinned && !mentions(near, barWords...) && !mentions(near, ownWords...):
		return false
	case used && v.end-v.start >= 5:
		return codeEnds(text, v)
	case pinned && (bytes.IndexByte(text[i:i+n], ' ') >= 0 || isLetterBound(text, i+n)):
		return codeEnds(text, v)
	}
	return codeEnds(text, v) && (mentions(near, barWords...) || mentions(near, ownWords...) || bytes.HasSuffix(bytes.TrimRight(between, " "), []byte("[")))
}

// isYour finds the number that begins a message: … is your code.
func isYour(text []byte, i, n int, add func(span)) {
	if !mentions(text[i:min(lineEnd(text, i), i+n+60)], "code", "pin", "otp", "passcode", "код", "kod", "tan") {
		return
	}
	start := i
	for start > 0 && i-start < 11 && (isDigit(text[start-1]) || among(" -", text[start-1]) && i-start > 0 && start > 1 && isDigit(text[start-2])) {
		start--
	}
	v, ok := codeGroup(text, start, i)
	if ok && v.end == i && (start == 0 || among(" \n]:", text[start-1])) {
		add(span{start, i, -1, "pin"})
	}
}

// yourWords stand behind a number that is somebody's code.
const yourWords = ` is your | ist dein| ist ihr| est votre | est ton | es tu | es su | é o seu | é seu | è il tuo | to twój | is je | is uw | är din | er din | — ваш| - ваш`

// openerWords stand right before a number that opens something.
const openerWords = `si apre con |apre con |opens with |unlocks with |opened with |geht mit |öffnet mit |geht auf mit |aufgeht mit |ouvre avec |abre con |abre com |otwiera się |otevírá se |gaat open met |öppnas med |åpnes med |åbnes med |open met |type |dial |punch in |key in |keying in |tippe |tippen |composez |composer |marcar |digita |digitare |drücke |eingeben |written down as |wpisz |zadejte |набери |набрать |введи `

// opening finds the number behind a verb that opens, where the line says what.
func opening(text []byte, i, n int, add func(span)) {
	if i > 0 && isWord(text[i-1]) || i+n >= len(text) || !isDigit(text[i+n]) {
		return
	}
	v, ok := codeGroup(text, i+n, lineEnd(text, i))
	if !ok || !codeEnds(text, v) {
		return
	}
	near := text[max(lineStart(text, i), i-80):min(lineEnd(text, i), v.end+40)]
	if mentions(near, barWords...) && !mentions(near, "call", "anruf", "phone number", "telefonnummer") {
		add(span{v.start, v.end, -1, "pin"})
	}
}
