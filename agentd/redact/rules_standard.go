package redact

// standardForms are tokens and signatures that a standard describes.
var standardForms = []format{
	{kind: "jwt", word: "eyj", fill: fillWord, expr: `eyJ[A-Za-z0-9_=-]{10,}\.(?:eyJ[A-Za-z0-9_/\\=-]{8,}|[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{10,}|\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{10,})\.?[A-Za-z0-9_/\\+=.-]*`, edge: true},
	{kind: "jwt", word: "ey", fill: "abcdefghijklmnopqrstuvwxyz0123456789", expr: `ey[A-Za-z0-9]{17,}\.ey[A-Za-z0-9/\\_-]{17,}(?:\.(?:[A-Za-z0-9/\\_-]{10,}={0,2})?)?`, edge: true},
	{kind: "jwt", word: "zxlk", expr: `ZXlK[A-Za-z0-9+/\\_-]{30,}={0,2}`, edge: true},
	{kind: "private-key", word: "miie", expr: `MII[A-Za-z0-9]{1,3}(?:IBADANBgkqhkiG9w0BAQEFAASC|IBAAKC)[A-Za-z0-9+/=\s]{100,}`, edge: true},
	{kind: "private-key", word: "miij", expr: `MIIJ[A-Za-z0-9]{1,3}(?:BADANBgkqhkiG9w0BAQEFAASC|IBAAKC)[A-Za-z0-9+/=\s]{100,}`, edge: true},
	{kind: "private-key", word: "mighageama", expr: `MIGHAgEAMA[A-Za-z0-9+/=\s]{80,}`, edge: true},
	{kind: "private-key", word: "b3blbnnzac1rzxktdje", expr: `b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=\s]{60,}`},
	{kind: "private-key", word: "ls0tls1crudjtib", expr: `LS0tLS1CRUdJTiB(?:SU0EgUFJJVkFURSB|QUklWQVRFI|PUEVOU1NIIFBSSVZBVEUg|FQyBQUklWQVRF|EU0EgUFJJVkFURS|QR1AgUFJJVkFUR|FTkNSWVBURUQgUF)[A-Za-z0-9+/=\s]{40,}`},
	{kind: "wordpress-session", word: "wordpress_", expr: `wordpress_(?:logged_in_|sec_)?[0-9a-f]{32}=([^\s;"'|%]+(?:%7C|\|)[0-9]{10}(?:%7C|\|)[^\s;"']{20,})`},
	{kind: "totp", word: "otpauth-migration:", expr: `otpauth-migration://offline\?data=([A-Za-z0-9+/=%_-]{20,})`},
	{kind: "signed-url", word: "x-amz-signature=", expr: `(?i)X-Amz-Signature=([a-f0-9]{64})`},
	{kind: "signed-url", word: "x-amz-security-token=", expr: `(?i)X-Amz-Security-Token=([A-Za-z0-9%+/=_-]{40,})`},
	{kind: "signed-url", word: "x-goog-signature=", expr: `(?i)X-Goog-Signature=([A-Za-z0-9%+/=_-]{40,})`},
	{kind: "sas-token", word: "sig=", expr: `sig=([A-Za-z0-9%+/_-]{38,}(?:%3D|=){0,2})`, edge: true},
	{kind: "signed-url", word: "signature=", expr: `(?i)Signature=([A-Za-z0-9%+/~_-]{27,}(?:%3D|=){0,2}_*)`},
}
