package redact

import (
	"bytes"
	"strings"
)

// quizWords are in the questions that ask who somebody is.
const quizWords = `first pet|maiden name|street you grew|street did you grow|favourite teacher|favorite teacher|first car|city were you born|town were you born|mädchenname|erstes haustier|ersten haustier|erstes auto|nom de jeune fille|premier animal|primera mascota|nombre de soltera|primo animale|cognome da nubile|security question|security answer|secret answer|sicherheitsfrage|question secrète|pregunta de seguridad`

// answerWords stand before an answer.
var answerWords = []string{"a: ", "a. ", "answer: ", "answer is ", "antwort: ", "réponse : ", "réponse: ", "respuesta: ", "risposta: ", "resposta: ", "odpowiedź: ", "ответ: ", "→ ", "-> "}

// quizzed finds the answer to a question that asks who somebody is.
func quizzed(text []byte, i, n int, add func(span)) {
	limit := min(len(text), i+n+120)
	for at := i + n; at < limit; at++ {
		if text[at] > ' ' && text[at] < 0x80 || at+1 >= len(text) {
			continue
		}
		from := skipAny(text, at, 3, " \n\t")
		for _, a := range answerWords {
			if !hasFold(text[from:], a) {
				continue
			}
			start := from + len(a)
			stop := answerEnd(text, start)
			if b := text[start:stop]; len(b) >= 3 && len(b) <= 48 && !placeholder(b) && !masked(b) {
				add(span{start, stop, -1, kindPassword})
			}
			return
		}
	}
}

// answerEnd is where an answer ends that begins at i.
func answerEnd(text []byte, i int) int {
	stop := lineEnd(text, i)
	for _, end := range []string{" Q: ", " Q. ", "; ", " / ", " | ", ". ", ", "} {
		if k := bytes.Index(text[i:stop], []byte(end)); k > 0 {
			stop = i + k
		}
	}
	for stop > i && among(" \t\r.\"'", text[stop-1]) {
		stop--
	}
	return stop
}

// ourWords give a password that was asked for.
const ourWords = `ours is |mine is |unseres ist |unseres lautet |meins ist |le nôtre est |el nuestro es |la nostra è |duress word: |duress word is |safe word: |safe word is |code word is |code word: |codeword: |codewort: |codewort ist |kennwort lautet |losung lautet |verbal password: |duress: |das ist |it's |it is |dat is |c'est |è `

// ours finds a single word that somebody gives as the password when one was asked for.
func ours(text []byte, i, n int, add func(span)) {
	if i > 0 && isWord(text[i-1]) {
		return
	}
	short := n <= 8 && !hasFold(text[i:], "ours") && !hasFold(text[i:], "mine") && !hasFold(text[i:], "duress")
	before := text[max(0, i-110):i]
	if !hasFold(text[i:], "duress") && !hasFold(text[i:], "safe") && !hasFold(text[i:], "code") && !hasFold(text[i:], "kenn") && !hasFold(text[i:], "verbal") && !mentions(before, "password", "passwort", "kennwort", "passcode", "mot de passe", "contraseña", "wachtwoord", "heslo", "hasło") {
		return
	}
	v := wordAt(text, skipAny(text, i+n, 2, "\"'`*")).emphatic(text)
	b := text[v.start:v.end]
	low := strings.ToLower(string(b))
	if coined(b) && marked(b) {
		add(span{v.start, v.end, -1, kindPassword})
		return
	}
	if short && !askedBefore(before) || len(b) < 5 || !endsClause(text, v.end) || statusWords[low] || proseWords[low] || genericValue[low] || placeholder(b) || stopWords[low] || linkish(b) || uncertain[low] || calendarWords[low] {
		return
	}
	if !letters(b) && !composed(b) {
		return
	}
	add(span{v.start, v.end, -1, kindPassword})
}

// uncertain words answer a question without giving anything away.
var uncertain = set(`correct right wrong there great nonsense nothing something everything complicated possible impossible better different important simple working
	richtig falsch alles nichts egal möglich besser schwierig einfach bekannt locked safe stored empty fine good printed written written. vague clear normal broken private optional stimmt quatsch vero tout rien`)

// askedBefore says whether what stands before ends a question with a line, or somebody else's words, behind it.
func askedBefore(before []byte) bool {
	k := bytes.LastIndexByte(before, '?')
	return k >= 0 && len(before)-k < 48
}
