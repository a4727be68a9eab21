package redact

import "bytes"

// hashForms are hashes of passwords: who has one can try passwords against it.
var hashForms = []format{
	{kind: "password-hash", word: "$2", fill: "abxy$", expr: `\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}`},
	{kind: "password-hash", word: "$argon2", expr: `\$argon2(?:id|i|d)\$(?:v=[0-9]+\$)?m=[0-9]+,t=[0-9]+,p=[0-9]+(?:,[a-z]+=[\w+/.-]+)*\$[A-Za-z0-9+/=.-]+\$[A-Za-z0-9+/=.-]+`},
	{kind: "password-hash", word: "$scrypt$", expr: `\$scrypt\$[\w=,$+/.-]{20,}`},
	{kind: "password-hash", word: "$s0$", expr: `\$s0\$[a-f0-9]+\$[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+`},
	{kind: "password-hash", word: "$7$", fill: fillWord + "./", expr: `\$7\$[./A-Za-z0-9]{11}[./A-Za-z0-9]*\$[./A-Za-z0-9]{43}`},
	{kind: "password-hash", word: "scrypt:", expr: `scrypt:[0-9]+:[0-9]+:[0-9]+\$[^\s$"']{4,}\$[a-f0-9]{32,}`},
	{kind: "password-hash", word: "pbkdf2", expr: `pbkdf2[:_-][a-z0-9-]+(?::[0-9]+|\$[0-9]+)\$[^\s$"']{4,}\$[A-Za-z0-9+/=.]{20,}`},
	{kind: "password-hash", word: "{pbkdf2", expr: `\{PBKDF2(?:-[A-Z0-9]+)?\}[0-9]+\$[A-Za-z0-9./+=]{8,}\$[A-Za-z0-9./+=]{20,}`},
	{kind: "password-hash", word: "grub.pbkdf2.", expr: `grub\.pbkdf2\.sha[0-9]+\.[0-9]+\.[a-fA-F0-9]{16,}\.[a-fA-F0-9]{32,}`},
	{kind: "password-hash", word: "$bcrypt-", expr: `\$bcrypt-sha256\$[\w=,]{1,30}\$[./A-Za-z0-9]{22}\$[./A-Za-z0-9]{31}`},
	{kind: "password-hash", word: "$pbkdf2", expr: `\$pbkdf2(?:-[a-z0-9-]+)?\$(?:i=)?[0-9]+(?:,l=[0-9]+)?\$[A-Za-z0-9+/=.]+\$[A-Za-z0-9+/=.]+`},
	{kind: "password-hash", word: "$1$", fill: fillWord + "./", expr: `\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}`},
	{kind: "password-hash", word: "$$apr1$$", expr: `\$\$apr1\$\$[./A-Za-z0-9]{1,8}\$\$[./A-Za-z0-9]{22}`},
	{kind: "password-hash", word: "$$2y$$", expr: doubledBcrypt},
	{kind: "password-hash", word: "$$2a$$", expr: doubledBcrypt},
	{kind: "password-hash", word: "$$2b$$", expr: doubledBcrypt},
	{kind: "password-hash", word: "$apr1$", expr: `\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}`},
	{kind: "password-hash", word: "$5$", fill: fillWord + "./", expr: `\$5\$(?:rounds=[0-9]+\$)?[^\s$:]{1,16}\$[./A-Za-z0-9]{43}`},
	{kind: "password-hash", word: "$6$", fill: fillWord + "./", expr: `\$6\$(?:rounds=[0-9]+\$)?[^\s$:]{1,16}\$[./A-Za-z0-9]{86}`},
	{kind: "password-hash", word: "$8$", fill: fillWord + "./", expr: `\$8\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}`},
	{kind: "password-hash", word: "$9$", fill: fillWord + "./", expr: `\$9\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}`},
	{kind: "password-hash", word: "$y$", fill: fillWord + "./", expr: `\$y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]*\$[./A-Za-z0-9]{43}`},
	{kind: "password-hash", word: "$gy$", expr: `\$gy\$[./A-Za-z0-9]+\$[./A-Za-z0-9]*\$[./A-Za-z0-9]{43}`},
	{kind: "password-hash", word: "$p$", fill: fillWord + "./", expr: `\$P\$[./A-Za-z0-9]{31}`},
	{kind: "password-hash", word: "$h$", fill: fillWord + "./", expr: `\$H\$[./A-Za-z0-9]{31}`},
	{kind: "password-hash", word: "$s$", fill: fillWord + "./", expr: `\$S\$[./A-Za-z0-9]{52}`},
	{kind: "password-hash", word: "$krb5", expr: `\$krb5(?:tgs|asrep|pa)\$[^\s"']{40,}`},
	{kind: "password-hash", word: "{ssha", expr: `\{SSHA(?:256|384|512)?\}[A-Za-z0-9+/=]{24,}`},
	{kind: "password-hash", word: "{sha}", expr: `\{SHA\}[A-Za-z0-9+/=]{24,}`},
	{kind: "password-hash", word: "{crypt}", expr: `\{CRYPT\}[^\s"']{10,}`},
	{kind: "password-hash", word: "scram-sha-", expr: `SCRAM-SHA-(?:1|256)\$[0-9]+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+`},
	{kind: "password-hash", word: ":::", fill: "\n\r \"'\\", back: 70, expr: `[a-fA-F0-9]{32}:[a-fA-F0-9]{32}:::`},
	{kind: "password-hash", word: ":01010000", back: 52, expr: `:[a-fA-F0-9]{16}:([a-fA-F0-9]{32}:01010000[a-fA-F0-9]{24,})`},
	{kind: "password-hash", word: "aad3b435b51404ee", expr: `(?i)aad3b435b51404eeaad3b435b51404ee:[a-f0-9]{32}`},
}

// pooledUser finds the hash of a user's password in the list that a pool of connections reads.
func pooledUser(text []byte, i, n int, add func(span)) {
	start := i + len(`" "`)
	end := start + len("md5") + 32
	if end < len(text) && text[end] == '"' && bytes.HasPrefix(text[start:], []byte("md5")) && digestLike(text[start+len("md5"):end]) {
		add(span{start, end, -1, "password-hash"})
	}
}

// doubledBcrypt is a hash in a file in which every dollar is written twice.
const doubledBcrypt = `\$\$2[aby]\$\$[0-9]{2}\$\$[./A-Za-z0-9]{53}`
