package redact

import (
	"slices"
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
		keyword{word: "<rsakeyvalue>", run: rsaXML, form: true},
		keyword{word: "://", fills: printable, run: userinfo, form: true},
		keyword{word: "kind", run: clusterSecret},
		keyword{word: "jdbc:oracle:thin:", run: thinLogin},
		keyword{word: `" "md5`, run: pooledUser, form: true},
		keyword{word: "akia", run: pairedSecret},
		keyword{word: "asia", run: pairedSecret},
		keyword{word: "authorization", run: authorization},
		keyword{word: "bearer", run: bearer},
		keyword{word: "basic ", run: basicPair},
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
		keyword{word: "openssl enc", run: passFlag("", "K")},
		keyword{word: "codecov", run: passFlag("", "t")},
		keyword{word: "<auth-user-pass>", run: inlineLogin},
		keyword{word: "github-oauth", run: hostToken},
		keyword{word: "gitlab-token", run: hostToken},
		keyword{word: "gitlab-oauth", run: hostToken},
		keyword{word: "stellar", run: stellarSeed},
		keyword{word: "soroban", run: stellarSeed},
		keyword{word: "sessionid=", run: sessionPair},
	)
	all = append(all, keywords(seedPhrase, "seed phrase", "mnemonic", "recovery phrase", "secret phrase", "seed words", "recovery words", "backup phrase", "wallet phrase", "12 words", "24 words", "twelve words", "secret words")...)
	return slices.Concat(all, prefixedWords(), assignmentWords(), loginWords(), networkWords(), deviceWords(), shellWords(), lineWords(), callWords(), protocolWords(), vendorWords(), sentenceWords(), everydayWords())
}

const printable = "abcdefghijklmnopqrstuvwxyz0123456789-_.~!$&'()*+,;=:%@[{<#\"\\"

// assignmentWords are the keywords of what is given a value, and of lists and tables.
func assignmentWords() []keyword {
	lock := func(text []byte, i, n int, add func(span)) { lockCode(text, i, n-1, add) }
	return slices.Concat(
		keywords(assignment,
			"pass", "kennwort", "geheim", "contrase", "clave", "senha", "wachtwoord", "senord", "salasana", "has\u0142o", "has\u0142em", "has\u0142a", "haslo", "heslo", "parol",
			"jelsz", "adgangskode", "ifre", "geslo", "lozinka", "kodeord", "sandi", "zugangscode", "motdepasse",
			"token", "secret", "cred", "auth", "access", "apikey", "jwt", "totp", "salt", "slapta", "parool", "\u0161ifra", "bearer", "pswd", "accountkey", "sharedaccesskey", "jeton", "pincode", "session", "sessid", "api-", "api_", "passord", "rootpw", "bindpw", "paswo"),
		filled(assignment, fillStop+"\xc2\xe2", "key", "pwd", "psw", "psk", "pin", "otp", "cvv", "cvc", "tan", "puk", "mdp", "sid", "api", "pat"),
		filled(shortName, printable+" \n>/|?\t\xe2\xc2", "pw ", "pw:", "pw=", "pw\n"),
		filled(shortName, " :=,;])}>)*|\t\"'`+-</"+fillWord, `pw"`, "pw'", "pw`", "pw]", "pw)", "pw>", "pw*", `pw\`, "pw|", "pw,", "pw;", "pw\t", "pw?", "pw-", "pw}", "pw[", "pw(", "pw{", "pw<"),
		filled(assignment, "\n", "pw"),
		filled(assignment, "=: \"'"+fillWord, "wif"),
		keywords(inserted, "insert into"), keywords(identified, "identified by"), keywords(copied, "from stdin"), keywords(selected, "select "),
		keywords(groupedKey, "recovery key", "recovery-key", "bitlocker", "filevault", "wiederherstellungsschl", "clé de récup", "emergency kit"),
		keywords(lock, "code for ", "code für ", "code voor ", "code pour ", "code de ", "código de ", "código para ", "codice ", "kod do ", "code of ", "combination of ", "combination for ", "code der ", "code zum ", "code zur ", "koden til ", "koden till ", "kode til ", "kod till "),
		keywords(codeList, "recovery code", "backup code", "scratch code", "one-time passwords", "one-time codes", "einmalpassw", "emergency code", "rescue code", "wiederherstellungscode", "backup-code", "codes de secours", "codes de r\u00e9cup", "c\u00f3digos de recuper", "codici di recupero", "kody zapasowe", "herstelcodes"),
		lexicon(),
	)
}

func allKinds() []string {
	kinds := []string{kindPrivateKey, kindConnection, kindPassword, kindToken, kindVendor, "authorization", "cookie", "pin", "recovery-code", "aws-secret-access-key", "seed-phrase", "card-number", "high-entropy", "discord-bot-token"}
	for _, f := range allForms() {
		kinds = append(kinds, f.kind)
	}
	return kinds
}
