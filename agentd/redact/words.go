package redact

import "strings"

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	// passwordWords end the name of something whose value is a password.
	passwordWords = set(`password passwd passwort passphrase passcode pass pwd psw pswd passwrd userpass dbpass rootpass mypass
		adminpass pasword passwrod passwod passowrd passsword passwordd paswort paswrd passwrot passwot presharedkey psksecret kennwort geheimwort passe motdepasse mdp contrasena contraseña contrasenya clave senha wachtwoord
		lösenord losenord salasana hasło hasłem hasła haslo psk heslo parola parole jelszó jelszo adgangskode passord şifre sifre geslo lozinka
		slaptažodis parool kodeord keypass storepass keystorepass truststorepass requirepass masterauth pw passw sshpass pgpassword
		zugangscode salasanan sandi`)
	pinWords   = set(`pin otp cvv cvc cvv2 totp tan puk pincode`)
	tokenWords = set(`token secret apikey accesskey secretkey privatekey authkey clientsecret accesstoken authtoken apitoken
		bearer pat skey credential credentials cred creds jwt accountkey sharedaccesskey sharedkey encryptionkey signingkey masterkey
		licensekey sessionkey geheimnis jeton секрет токен appkey appsecret apisecret secretaccesskey refreshtoken idtoken
		webhooksecret sharedsecret tokens salt wif privkey privkeys jsessionid phpsessid sessid`)
	// keyWords say what a key is for, when it is one that must not be known.
	keyWords = set(`api access secret private auth client encryption encrypt enc signing sign master license account shared storage
		service admin deploy app application consumer webhook hmac jwt session crypto aes rsa root bot subscription function
		setup enrollment enrolment enroll join registration provisioning integration routing rest write read server live decryption cipher data personal user vault unseal recovery machine wallet stripe
		openai blowfish maptiler gotify x xapi apim ocp cosmos sas ssh gpg pgp ftp smtp s3 aws gcp azure google github gitlab slack dd datadog`)
	// openKeyWords say that a key is open, or no credential at all.
	openKeyWords = set(`public pub publishable primary foreign cache sort partition index object map dict unique row item group hash
		lookup i18n translation react config registry message routing schema host known verify verification column field page
		next idempotency dedupe deduplication answer hot short arrow shift ctrl enter escape function event metric label sort
		bucket file json xml yaml string str session_cache socket vapid did site sitekey`)
	// openTokenWords say the same of tokens.
	openTokenWords = set(`page next previous continuation sync stop start eos bos pad unk sep cls mask end max min total num count input
		output prompt completion used special starting lock change update lifecycle action idempotency resume pagination resumption done result progress cancellation cancel lexer parser unexpected expected design cursor per non
		next_page`)
	// trailing words say nothing about what a name stands for.
	trailingWords = set(`base value val str raw plain plaintext clear cleartext encoded b64 base64 hex prod production dev develop staging
		stage live test default new old current previous env var main backup secondary admin root user db app override here
		string confirm confirmation again repeat literal tmp temp local global master slave readonly ro rw private priv`)
	// digestWords name what looks random and is none of our business.
	digestWords = set(`sha sha1 sha224 sha256 sha384 sha512 md5 crc crc32 checksum checksums digest integrity commit commits rev revision
		etag fingerprint fingerprints thumbprint uuid guid public pub pubkey cert certificate csr image blob tree parent ref branch
		trace span correlation block cid ipfs hash version build layer snapshot host hostkey serial nonce`)
	// placeholderWords show that a value stands for one to be put there.
	placeholderWords = set(`example placeholder changeme changeit replaceme redacted masked hidden removed dummy todo fixme tbd insert
		replace sample foobar foo bar baz fake mock stub lorem ipsum nope xxx xxxx xxxxx xxxxxx notreal filtered censored omitted
		sanitized scrubbed example1 somepassword yourpassword mypassword mysecretpassword`)
	// statusWords are what forms, logs and sentences say about a password.
	statusWords = set(`required optional invalid incorrect wrong correct changed reset expired missing empty unset set none null nil
		undefined true false yes no on off ok valid enabled disabled unknown accepted rejected failed success updated protected
		forgotten lost weak strong medium good bad short long secure insecure unavailable available default auto generated random
		prompt ask never always same n/a na tbd text hidden visible show hide encrypted hashed plaintext plain confidential denied
		granted authentication auth authenticated needed provided saved stored unchanged mandatory matching mismatch different
		here below above yourself manual manually interactive stdin file env keychain keyring vault login signin and or the a an is
		are was for to in of with from by this that it must should can will may has not only forgot erforderlich vergessen falsch
		ungültig geändert obligatoire oublié requis requerida olvidada incorrecta sha256 sha512 md5 bcrypt argon2 argon2id scrypt
		sendtoken pass passed fail option options argument arguments flag flags parameter parameters cancelled canceled revoked active inactive refreshed issued found
		pending verbally bekannt unverändert inchangé invariata invariato pendiente perguntar ongewijzigd прежний спросить спросите
		запитайте yöneticide müdürde kasada rendszergazda esimieheltä kassakaapissa από στον στην στο
		unbekannt entfällt kein keine keins keines leer ausstehend néant aucun aucune inconnu vide ninguna ninguno vacía desconocida nessuna
		nessuno sconosciuta vuota nenhuma nenhum desconhecida vazia geen onbekend leeg brak nieznane puste žádné žádný neznámé žiadne
		neznáme inget ingen okänt ukjent ukendt tuntematon нет не отсутствует неизвестен неизвестно пусто немає невідомо няма неизвестна
		yok bilinmiyor nincs ismeretlen niciuna niciun necunoscută lipsă κανένας κανένα καμία άγνωστος puudub nav nėra nema nepoznata
		なし 無し 不明 未設定 无 無 未知 未设置 没有 없음 미설정 غير אין`)
	// genericValue words are names of kinds and types, as schemas and examples give them.
	genericValue = set(`password passwd passwort pass pwd secret token key apikey api_key passphrase credential credentials string str
		strings bytes byte text char varchar nvarchar int integer number bool boolean float object array any anystr secretstr
		optional uuid email user username admin_password your_password mypass type value values field input textbox label
		new-password current-password one-time-code none ssh-ed25519 ssh-rsa ecdsa-sha2-nistp256 ssh-dss none void null undefined variable securestring passwordfield charfield
		sensitive anonymous anonymous@ sha-256 base64 hex jwt bearer basic oauth oauth2 contraseña senha clave kennwort heslo hasło
		wachtwoord lösenord losenord adgangskode kodeord passord salasana jelszó jelszo şifre sifre parola parolă lozinka geslo parool
		slaptažodis пароль κωδικός パスワード 비밀번호 密码 string! id! int! [string!]!`)
)

// wordsOf splits a name at its signs and capitals and gives its parts in small letters.
func wordsOf(name []byte) []string {
	var all []string
	start := 0
	flush := func(end int) {
		if end > start {
			all = append(all, strings.ToLower(string(name[start:end])))
		}
		start = end
	}
	for i, c := range name {
		switch {
		case c == '_' || c == '-' || c == '.' || c == '[' || c == ']' || c == ' ' || c == '/' || c == ':':
			flush(i)
			start = i + 1
		case class[c]&clsUpper != 0 && i > start && (class[name[i-1]]&clsUpper == 0 || i+1 < len(name) && class[name[i+1]]&clsLower != 0):
			flush(i)
		}
	}
	flush(len(name))
	return all
}
