package redact

import "bytes"

// licenceWords are what a key of a product is called.
const licenceWords = `slmgr|licen|lizenz|product key|produktschl|product-key|clé de produit|clé d'activation|clave del produc|clave de produc|productcode|productsleutel|klucz produktu|produktnyckel|ключ продукта|ицензи|office-|windows-key
	|activation key|activation code|aktivierungscode|aktivierungsschlüssel|code d'activation|código de activación|código de ativação|codice di attivazione|activatiecode|aktiveringskod|aktiveringskode|kod aktywacyjny|код активации`

// licence finds the key of a product behind what it is called: groups of capitals and digits with hyphens. What activates
// something may have three of them.
func licence(text []byte, i, n int, add func(span)) {
	least := 5
	if hasFold(text[i:], "a") || hasFold(text[i:], "code") || hasFold(text[i:], "c\xc3") || hasFold(text[i:], "kod") {
		least = 3
	}
	limit := min(lineEnd(text, i), i+n+90)
	for at := i + n; at < limit; at++ {
		if isWord(text[at-1]) || text[at-1] == '-' || class[text[at]]&(clsUpper|clsDigit) == 0 {
			continue
		}
		end := at
		for end < len(text) && end-at < 60 && (class[text[end]]&(clsUpper|clsDigit) != 0 || text[end] == '-') {
			end++
		}
		parts := bytes.Split(text[at:end], []byte("-"))
		letter := bytes.ContainsAny(text[at:end], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if len(parts) >= least && letter && hasDigit(text[at:end]) && sameLength(parts) && (end == len(text) || !isWord(text[end])) && !masked(text[at:end]) {
			add(span{at, end, -1, "recovery-code"})
			return
		}
		at = max(at, end-1)
	}
}

// securityWords say that a line answers the questions that prove who somebody is.
var securityWords = []string{"security q", "security a", "secret q", "sicherheitsfrage", "geheimfrage", "domanda segreta", "domanda di sicurezza", "question secrète", "question de sécurité", "pregunta secreta", "pregunta de seguridad", "pergunta secreta", "pergunta de segurança", "geheime vraag", "beveiligingsvraag", "pytanie pomocnicze", "контрольный вопрос", "säkerhetsfråga", "sikkerhedsspørgsmål"}

// factWords are what such questions ask for, with what stands before the answer.
const factWords = `maiden name|memorable place|memorable word|memorable date|first pet|first school|place of birth|city of birth|favourite teacher|favorite teacher|street you grew up|mädchenname|haustier|geburtsort|primo cane|primo gatto|primo animale|cognome da nubile|premier animal|premier chien
	|nom de jeune fille|ville de naissance|primera mascota|apellido de soltera|primeiro animal|nome de solteira|eerste huisdier
	|meisjesnaam|pierwsze zwierz|nazwisko panieńskie|евичья фамилия|кличка|första husdjur|første kæledyr`

// callWord stand between what was asked for and its name.
var callWord = set(`si chiamava hieß heißt heisst hiess s'appelait se llamaba chamava-se chama-se heette was is war ist called named era è est es é to var är er был была nazywał wabił się : - – — =`)

// factual finds the answer to such a question that a line gives as a fact.
func factual(text []byte, i, n int, add func(span)) {
	if !mentions(text[max(0, i-160):i], securityWords...) {
		return
	}
	line := min(lineEnd(text, i), i+n+80)
	at := i + n
	for at < line && (isLetter(text[at]) || text[at] >= 0x80) {
		at++
	}
	start := skipAny(text, at, 3, ": =")
	for range 3 {
		stop := wordEnd(text, start, line)
		if !callWord[string(bytes.ToLower(text[start:stop]))] {
			break
		}
		start = skipAny(text, stop, 2, " ")
	}
	end := answerEnd(text, start)
	if b := text[start:end]; start > at+1 && len(b) >= 3 && len(b) <= 40 && (class[b[0]]&clsUpper != 0 || b[0] >= 0x80) && !placeholder(b) && !masked(b) {
		add(span{start, end, -1, kindPassword})
	}
}
