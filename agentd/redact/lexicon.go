package redact

import "strings"

// What people call what lets them in, in languages whose words no name of a program holds. Letters outside ASCII match as
// they are written, so that a word that begins a sentence stands here without its first letter.
const (
	passwordLexicon = `υνθηματικ|lösen till|lösenet|ароль|арола|озинка|құпия сөз|нууц үг|رمز عبور|گذرواژه|كلمة المرور|كلمة السر|كلمة سر|كلمة مرور|سیکیورٹی کوڈ|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|ωδικός|ΩΔΙΚΌΣ|סיסמה|סיסמא
		|mật khẩu|पासवर्ड|পাসওয়ার্ড|கடவுச்சொல்|రహస్యపదం|รหัสผ่าน|พาสเวิร์ด|ពាក្យសម្ងាត់|စကားဝှက်|ລະຫັດຜ່ານ|գաղտնաբառ|პაროლი|የይለፍ ቃል|кодовое слово|keymaterial
		|key content|schlüsselinhalt|contenu de la clé|contenido de la clave|contenuto chiave
		|wlan-schlüssel|wlanschlüssel|netzwerkschlüssel|netzwerksicherheitsschlüssel|code wifi|code wi-fi|code du wifi|clé wifi|clé wi-fi|clé du wifi|wifi code|wi-fi code|wlan-code|wlan-key|wlan key|chiave wifi|wpa key|wpa2 key|wifi key|wi-fi key|network key
		|pasahitza|contrasinal|lykilorð|aðgangsorð|focal faire|pasfhocal|wagwoord|nenosiri|fjalëkalim|cyfrinair|iphasiwedi|ko te kupuhipa|pasvorto`
	tokenLexicon = `екрет|окен|люч|密钥|密鑰|令牌|秘密鍵|トークン|キー|토큰|시크릿|비밀 키|API 키|シークレット|schlüssel|llave|chave|clé secrète|clé privée|clé api|clé d'api|clé d’api|clé d'accès|chiave|sleutel
		|klucz|klíč|kľúč|ključ|nyckel|nøgle|nøkkel|avain|anahtar|cheie|kulcs|κλειδί|المفتاح|מפתח|कुंजी|khóa|kunci`
	codeLexicon = `kenncode|zutrittscode|bedienercode|installer code|one-time code|access code|zugangscode|toegangscode|code d'accès|code d’accès|código de acesso|código de acceso|codice di accesso|codice d'accesso|verification code
		|security code|einmalcode|sicherheitscode|bestätigungscode|aktivierungscode|freischaltcode|prüfcode|verifizierungscode|entsperrcode|door code|gate code|alarm code|safe code|entry code|lock code|lockbox code|garage code|türcode|login code|sign-in code|signin code|confirmation code|auth code
		|authentication code|2fa code|mfa code|otp code|pin code|pin-code|passcode|unlock code|door pin|anmeldecode|kod weryfikacyjny|kod dostępu|kod pin|од подтверждения|од доступа|ин-код|ИН-код|ІН-код|ін-код|ПИН|од підтвердження
		|codice di verifica|verificatiecode|bestätigungscode|code de vérification|code de sécurité|código de verificación|código de verificação|código de seguridad|código de segurança|codice di sicurezza
		|doğrulama kodu|ellenőrző kód|ověřovací kód|cod de verificare|verifieringskod|bekræftelseskode|bekreftelseskode|vahvistuskoodi|kode verifikasi|mã xác minh|mã xác nhận|κωδικός επαλήθευσης
		|验证码|驗證碼|校验码|認証コード|確認コード|인증번호|인증 코드|확인 코드|رمز التحقق|كود التحقق|קוד אימות|सत्यापन कोड|รหัสยืนยัน|暗証番号`
)

// lexicon makes keywords of these words.
func lexicon() []keyword {
	var all []keyword
	say := func(how strength, words string) {
		for w := range strings.SplitSeq(words, "|") {
			all = append(all, keyword{word: strings.TrimSpace(w), run: foreign(how)})
		}
	}
	say(password, passwordLexicon)
	say(token, tokenLexicon)
	say(pin, codeLexicon)
	return all
}

// ofPlace says whether words in another script end with one that stands before what a password is for.
func ofPlace(words []byte) bool {
	all := strings.Fields(string(words))
	if len(all) == 0 {
		return false
	}
	switch all[len(all)-1] {
	case "от", "для", "на", "к", "з", "від", "до", "в", "у", "для:", "за", "για", "στο", "του":
		return true
	}
	return false
}

// acrossScript reads the value behind a name that ends at i in another script, with words and signs of that script between
// them: where the script changes, the sentence has come to it.
func acrossScript(text []byte, i int, how strength) (value, bool) {
	if i == 0 || text[i-1] < 0x80 {
		return value{}, false
	}
	at, limit := i, min(lineEnd(text, i), i+80)
	for at < limit && (text[at] >= 0x80 || among(" :=-\"'`*([", text[at])) {
		at++
	}
	v := value{start: at, end: bareEnd(text, at, value{prose: true}), prose: true}
	for k := v.start; k < v.end; k++ {
		if text[k] >= 0x80 {
			v.end = k
		}
	}
	b := text[v.start:v.end]
	if how == password && ofPlace(text[i:at]) && !strongWord(b) && !(coined(b) && marked(b)) {
		return v, false
	}
	switch {
	case len(b) < 4 || strings.ContainsAny(string(text[i:at]), "。！？"):
		return v, false
	case how == pin:
		return v, len(b) <= 8 && isDigits(b)
	case how == password:
		return v, literal(b, how) || len(b) >= 6 && hasDigit(b) && mixed(b) && !dateLike(b) && !ordinal(b) && (!wordy(b) || mixedCase(b) || sayable(b))
	}
	return v, len(b) >= 16 && machineMade(b)
}
