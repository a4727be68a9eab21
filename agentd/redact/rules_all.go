package redact

import (
	"bytes"
	"sync"
)

// allRules are the rules of every engine, made when the first one is needed: a helper process that scans nothing pays
// nothing.
var allRules = sync.OnceValue(func() *rules { return newRules(allWords(), allKinds()...) })

func allWords() []keyword {
	var all []keyword
	for _, f := range allForms() {
		all = append(all, f.keyword())
	}
	all = append(all,
		keyword{word: "-begin", run: armored, form: true},
		keyword{word: "-- begin ", run: armored, form: true},
		keyword{word: "private-lines:", run: putty, form: true},
		keyword{word: `"kty"`, run: webKey, form: true},
		keyword{word: "://", fills: printable, run: userinfo, form: true},
		keyword{word: "kind", run: clusterSecret},
		keyword{word: "s.", fills: "abcdefghijklmnopqrstuvwxyz0123456789", run: oldVaultToken, form: true},
		keyword{word: "jdbc:oracle:thin:", run: thinLogin},
		keyword{word: "akia", run: pairedSecret},
		keyword{word: "asia", run: pairedSecret},
		keyword{word: "authorization", run: authorization},
		keyword{word: "bearer", run: bearer},
		keyword{word: "cookie", run: cookies},
		keyword{word: "curl", run: userFlag},
		keyword{word: "mysql", run: passFlag("p", "")},
		keyword{word: "mariadb", run: passFlag("p", "")},
		keyword{word: "mysqldump", run: passFlag("p", "")},
		keyword{word: "mysqladmin", run: passFlag("p", "")},
		keyword{word: "sshpass", run: passFlag("p", "p")},
		keyword{word: "mongo", run: passFlag("", "p")},
		keyword{word: "docker login", run: passFlag("", "p")},
		keyword{word: "podman login", run: passFlag("", "p")},
		keyword{word: "redis-cli", run: passFlag("a", "a")},
		keyword{word: "sqlcmd", run: passFlag("P", "P")},
		keyword{word: "ldapsearch", run: passFlag("w", "w")},
		keyword{word: "openssl enc", run: passFlag("", "k")},
	)
	for _, w := range []string{"seed phrase", "mnemonic", "recovery phrase", "secret phrase", "seed words", "recovery words", "backup phrase", "wallet phrase", "12 words", "24 words", "twelve words", "secret words"} {
		all = append(all, keyword{word: w, run: seedPhrase})
	}
	all = append(all, prefixedWords()...)
	all = append(all, assignmentWords()...)
	all = append(all, loginWords()...)
	all = append(all, networkWords()...)
	all = append(all, shellWords()...)
	all = append(all, lineWords()...)
	all = append(all, callWords()...)
	all = append(all, protocolWords()...)
	return append(all, vendorWords()...)
}

const printable = "abcdefghijklmnopqrstuvwxyz0123456789-_.~!$&'()*+,;=:%@[{<#\"\\"

func assignmentWords() []keyword {
	var all []keyword
	for _, w := range []string{
		"pass", "kennwort", "geheim", "contrase", "clave", "senha", "wachtwoord", "senord", "salasana", "has\u0142o", "has\u0142em", "has\u0142a", "haslo", "heslo", "parol",
		"jelsz", "adgangskode", "ifre", "geslo", "lozinka", "kodeord", "sandi", "zugangscode", "motdepasse",
		"token", "secret", "cred", "auth", "access", "apikey", "jwt", "totp", "salt", "slapta", "parool", "\u0161ifra", "bearer", "pswd", "accountkey", "sharedaccesskey", "jeton", "pincode", "session", "sessid", "api-", "api_", "passord", "rootpw", "bindpw",
	} {
		if len(w) < 4 {
			all = append(all, keyword{word: w, fills: fillStop, run: assignment})
			continue
		}
		all = append(all, keyword{word: w, run: assignment})
	}
	for _, w := range []string{"key", "pwd", "psw", "psk", "pin", "otp", "cvv", "cvc", "tan", "puk", "mdp", "sid", "api", "pat"} {
		all = append(all, keyword{word: w, fills: fillStop + "\xc2\xe2", run: assignment})
	}
	for _, w := range []string{"pw ", "pw:", "pw=", "pw\n"} {
		all = append(all, keyword{word: w, fills: printable + " \n>/|?\t\xe2\xc2", run: shortName})
	}
	for _, w := range []string{`pw"`, "pw'", "pw`", "pw]", "pw)", "pw>", "pw*", `pw\`, "pw|", "pw,", "pw;", "pw\t", "pw?", "pw-", "pw}", "pw[", "pw(", "pw{", "pw<"} {
		all = append(all, keyword{word: w, fills: " :=,;])}>)*|\t\"'`+-</" + fillWord, run: shortName})
	}
	all = append(all, keyword{word: "pw", fills: "\n", run: assignment})
	all = append(all, keyword{word: "insert into", run: inserted}, keyword{word: "from stdin", run: copied}, keyword{word: "select ", run: selected}, keyword{word: "wif", fills: "=: \"'" + fillWord, run: assignment})
	for _, w := range []string{"recovery key", "recovery-key", "bitlocker", "filevault", "wiederherstellungsschl", "clé de récup", "emergency kit"} {
		all = append(all, keyword{word: w, run: groupedKey})
	}
	for _, w := range []string{"code for ", "code für ", "code voor ", "code pour ", "code de ", "código de ", "código para ", "codice ", "kod do ", "code of ", "combination of ", "combination for ", "code der ", "code zum ", "code zur "} {
		all = append(all, keyword{word: w, run: func(text []byte, i, n int, add func(span)) { lockCode(text, i, n-1, add) }})
	}
	for _, w := range []string{"recovery code", "backup code", "scratch code", "one-time passwords", "one-time codes", "einmalpassw", "emergency code", "rescue code", "wiederherstellungscode", "backup-code", "codes de secours", "codes de r\u00e9cup", "c\u00f3digos de recuper", "codici di recupero", "kody zapasowe", "herstelcodes"} {
		all = append(all, keyword{word: w, run: codeList})
	}
	return append(all, lexicon()...)
}

func allKinds() []string {
	kinds := []string{kindPrivateKey, kindConnection, kindPassword, kindToken, kindVendor, "authorization", "cookie", "pin", "recovery-code", "aws-secret-access-key", "seed-phrase", "high-entropy", "discord-bot-token"}
	for _, f := range allForms() {
		kinds = append(kinds, f.kind)
	}
	return kinds
}

// announced says whether a word before i announces a secret, or the name of this one does.
func announced(text []byte, i int, name string) bool {
	at := i
	for at > 0 && i-at < 12 && bytes.IndexByte([]byte(" \t=:\"'`>([{*"), text[at-1]) >= 0 {
		at--
	}
	if at == i {
		return false
	}
	for _, c := range copulas {
		if n := at - len(c); n > 0 && hasFold(text[n:at], c) && text[n-1] == ' ' {
			at = n - 1
			break
		}
	}
	start, end := nameAround(text, at, at)
	if start == end {
		return false
	}
	last := wordsOf([]byte(name))
	return strengthOf(text[start:end]) >= weak || len(last) > 0 && hasFold(text[start:end], last[len(last)-1]) && len(last[len(last)-1]) == end-start
}
