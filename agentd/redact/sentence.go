package redact

import (
	"strings"
)

// maxClause is how far behind a name a sentence may come to its value.
const maxClause = 110

// nameStems are the beginnings of what people call a password, in the languages of the lexicon, with every ending.
const nameStems = `password|pasword|passwrod|passowrd|paswort|passwrot|passwort|passphrase|passcode|kennwort|kenncode|losungswort|mot de passe|contraseñ|clave|senha|palavra-passe|palavra passe|wachtwoord|lösenord|losenord|salasan|hasło|hasła|hasłem|haseł|haslo|hasla
	|heslo|hesla|heslem|parola|parolă|parolu|parolo|parole|арол|şifre|ifresi|şifrem|jelsz|adgangskode|passord|kodeord|ωδικ|lozink|geslo|gesla|озинк|parool|slaptažod|비밀번호|parolan|пасворд
	|sandi|duress word|code word|codeword|safe word|kennwörter|parola d'ordine|geheimwort|пароль|login word`

// toldWords say that what follows is it.
var toldWords = set(`is are was war ist lautet sind heißt bleibt wird wurde reads becomes remains stays says equals est sera devient reste es será sigue queda é fica ficou continua será passou mudou agora ahora
	adesso ora è sarà diventa rimane resta e' to jest będzie zostaje je bude zůstává zůstane ostáva er är blir blev blei bliver heter hedder ble wordt werd blijft luidt είναι παραμένει έγινε это — – - = це є буде будет теперь тепер
	estas este devine e oldu olarak yeni artık lett maradt brzmi zní znie glasi hangzik now jetzt nun lyder
	cioè namely nämlich czyli c'est-à-dire dvs tedy azaz`)

// quietWords may stand between such a word and the value.
var quietWords = set(`now jetzt nun ab still weiterhin noch wieder again just simply einfach adesso ora ahora agora теперь тепер nu teraz ny nyt now, : the das die`)

// sentence finds the value of a sentence that names a password, says what it is for, and then what it is.
func sentence(text []byte, i, n int, add func(span)) {
	at, ok := clauseFrom(text, i, n)
	if !ok || catalogued(text, i+n) {
		return
	}
	line := min(lineEnd(text, at), at+maxClause)
	if line < len(text) && text[line-1] == '=' { // mail breaks its lines so
		line = min(lineEnd(text, line+1), at+maxClause)
	}
	if v, ok := colouredValue(text, at); ok {
		add(span{v.start, v.end, -1, kindPassword})
		return
	}
	told, colon, before := false, false, ""
	finnish := hasFold(text[i:], "salasan") || hasFold(text[i:], "parool")
	for words := 0; words < 12 && at < line; words++ {
		stop := wordEnd(text, at, line)
		if v, ok := clauseValue(text, at, stop, told, colon, before); ok {
			add(span{v.start, v.end, -1, kindPassword})
			return
		}
		word := text[at:stop]
		before = strings.ToLower(string(word))
		plain := strings.Trim(before, ",:'’")
		if aboutWords[plain] || stopWords[plain] {
			return
		}
		last := text[stop-1]
		if strings.IndexByte(".!?;{}()=<>", last) >= 0 && before != "=" {
			return
		}
		colon = last == ':' && !isDigit(word[0])
		told = colon || toldWords[plain] || told && quietWords[plain] || finnish && plain == "on"
		at = skipAny(text, stop, 3, " \t")
		if last == '=' {
			at = skipAny(text, at, 1, "\n")
		}
	}
	if told && at < len(text) && text[at] == '\n' {
		if v := wordAt(text, at+1).emphatic(text); composed(text[at+1:max(at+1, v.end)]) && lineEnd(text, v.end)-v.end < 3 {
			add(span{v.start, v.end, -1, kindPassword})
		}
	}
}

// colouredValue is the word at i when a terminal shows it in a colour of its own.
func colouredValue(text []byte, i int) (value, bool) {
	if i+3 >= len(text) || text[i] != 0x1b || text[i+1] != '[' {
		return value{}, false
	}
	k := skipAny(text, i+2, 12, "0123456789;")
	if k >= len(text) || text[k] != 'm' {
		return value{}, false
	}
	v := wordAt(text, k+1)
	return v, v.end < len(text) && text[v.end] == 0x1b && composed(text[v.start:v.end])
}

// clauseFrom is where the words behind the name begin that stands at i, when it stands in a sentence.
func clauseFrom(text []byte, i, n int) (int, bool) {
	if i > 0 && among("_$./=<\"'({[&?", text[i-1]) || i > 0 && isDigit(text[i-1]) {
		return 0, false
	}
	at := i + n
	for at < len(text) && at < i+n+16 && (isLetter(text[at]) || text[at] >= 0x80) {
		at++
	}
	if at+2 >= len(text) || text[at] != ' ' && text[at] != ',' && text[at] != ':' || text[at] != ' ' && text[at+1] != ' ' {
		return 0, false
	}
	if text[at] == ':' { // the value stands right behind: only what other finders take for a sentence
		return skipAny(text, at, 2, ": "), text[i] >= 0x80
	}
	return skipAny(text, at, 3, " ,"), true
}

// clauseValue is the word from at to stop when it is the value: the sentence has said so, or it ends with it.
func clauseValue(text []byte, at, stop int, told, colon bool, before string) (value, bool) {
	start := skipAny(text, at, 2, "\"'`*")
	if start == at {
		start = min(quoteRune(text, at), stop)
	}
	v := wordAt(text, start).emphatic(text)
	if v.end <= v.start || v.end > stop+1 || otherWords[before] {
		return v, false
	}
	b := text[v.start:v.end]
	turkish := hasFold(text[v.end:], " oldu") || hasFold(text[v.end:], " olarak")
	switch {
	case told || turkish:
		return v, composed(b) || endsClause(text, v.end) && (toldNumber(b) || !colon && singleWord(text, v))
	case strings.HasSuffix(before, ","):
		return v, coined(b) && phrased(b) && endsClause(text, v.end)
	}
	return v, false
}

// endsClause says whether a sentence, or a part of it, ends at i.
func endsClause(text []byte, i int) bool {
	if i >= len(text) || text[i] == '\n' || text[i] == '\r' {
		return true
	}
	return among(".,;:!)\"'<", text[i]) && (i+1 >= len(text) || text[i+1] <= ' ' || among(".)\"'", text[i+1]))
}
