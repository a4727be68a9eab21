package redact

import "strings"

// everydayWords are the keywords of what people write to each other, and of awkward places that a value can stand in.
func everydayWords() []keyword {
	var all []keyword
	say := func(run finder, words string) {
		for w := range strings.SplitSeq(words, "|") {
			all = append(all, keyword{word: strings.Trim(w, "\n\t"), run: run})
		}
	}
	short := func(run finder, fills string, words ...string) { all = append(all, filled(run, fills, words...)...) }
	say(asked, nameStems+`|wifi|wi-fi|wlan|вайфай|пин-код|pin for|pin vom|pin von|pin du|pin de|密码|密碼|パスワード|暗証番号|كلمة`)
	short(asked, " :", "mdp", "pw", "pwd")
	say(corrected, insteadWords)
	say(openedWith, withWords)
	say(keptBehind, keptWords)
	say(padlocked, `padlock|vorhängeschloss|candado|cadenas|lucchetto|hangslot|hänglås|hængelås|kłódk|cadeado|замочек`)
	say(dialled, `izquierda|derecha|links|rechts|gauche|droite|sinistra|destra|left |right |lewo|prawo`)
	say(oneTime, otpStems)
	say(spelledOut, spelling)
	short(shownCode, "abcdefghijklmnopqrstuvwxyz", ":</")
	say(pinNow, `pin auf |pin nu |pin is |pin jetzt |pin now |pin är nu |pin er nu |pin ist |pin lautet `)
	say(pinOf, `pinul |codul pin|pinkód |pin-ul `)
	say(listedPlaces, listedStems)
	say(qualified, qualifiedWords)
	say(airDigits, `вайфай |wi-fi |wifi |wlan |wlan: |wifi: `)
	say(merely, merelyWords)
	say(asPhrase, asPhraseWords)
	say(brokenToken, splitWords)
	short(quotedRows, "abcdefghijklmnopqrstuvwxyz0123456789", "eyj")
	say(concatenated, "' + '|\" + \"")
	all = append(all, keywords(concatenated, "' +\n", "\" +\n", "' +\r", "\" +\r", "' + \n", "' .\n", "\" .\n")...)
	say(coloured, colourEnds)
	say(foreign(password), misreadWords)
	say(digitKey, `schlüsse1|schiüssel|schlusse1`)
	all = append(all, keywords(misreadPin, "pln:", "p1n:", "pln-", "p!n:")...)
	say(entityQuoted, ` value=&quot;`)
	say(mistyped, `: command not found|invalid user |failed password for invalid user |unknown user `)
	all = append(all, keywords(pipedEncoding, "| base64", "|base64")...)
	say(headerKey, `-auth: |-authentication: `)
	say(followed, followedWords)
	say(licence, licenceWords)
	say(factual, factWords)
	say(cardBehindWord, cardWords)
	short(cardBehindWord, " :", "visa")
	short(cardBeforeCode, " :=\"'`_2", "cvv", "cvc")
	say(cardBeforeCode, `exp_month|expmonth|exp_year|gültig bis |valid thru`)
	return all
}
