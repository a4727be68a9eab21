package redact

import (
	"strings"
)

// sentenceWords are the keywords of sentences that say what a password or a code is.
func sentenceWords() []keyword {
	var all []keyword
	say := func(run finder, words string) {
		for w := range strings.SplitSeq(words, "|") {
			all = append(all, keyword{word: strings.TrimLeft(w, "\n\t"), run: run})
		}
	}
	say(sentence, nameStems)
	say(coded, codeStems)
	say(opening, openerWords)
	say(isYour, yourWords)
	say(seedNear, walletWords)
	say(quizzed, quizWords)
	say(ours, ourWords)
	say(toldLater, `password|pasword|passwrod|passwort|kennwort|passcode|wifi|wlan|the login|mot de passe|contraseñ|wachtwoord|heslo|hasło|code for|a code|the code|code für|pin für|pin for|pw for|pass for|pass to`)
	say(shownCodes, `authenticator`)
	say(digitKey, `wlan-schl|wlan schl|netzwerkschl|wpa-schl|wpa key|wpa2 key|wlan-key|wifi key|network key|wlan-passw|network security key`)
	say(loginList, `logins|credentials|accounts|zugänge|zugangsdaten|test users|testuser|test user|identifiants|credenciales|credenziali`)
	say(rootList, `admin:|root:|admin/|root/|administrator:|user1:|demo:`)
	say(behindLogin, `, pw | pw: |, pass |, password |, passwort |, kennwort |, mdp |, heslo |, hasło |, pwd |, lösenord |, losenord |, adgangskode |, kodeord |, passord |, salasana |, contraseña |, clave |, senha |, parola |, jelszó |, şifre |, пароль |, mot de passe |, wachtwoord |, lozinka `)
	say(inBraces, `password={|pwd={`)
	say(percentPassword, `pwd%3d|password%3d`)
	say(ofFile, `master.key|.yml.key|credentials.key`)
	say(inQuotes, `: eap "|: xauth "|: psk "|: ntlm "|: pin "`)
	say(stated, `reset to |zurückgesetzt auf |set back to |réinitialisé à `)
	return all
}
