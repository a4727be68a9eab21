package redact

import (
	"bytes"
	"strings"
)

// shellWords are the keywords of commands whose arguments hold a password without a name.
func shellWords() []keyword {
	var all []keyword
	say := func(run finder, words ...string) { all = append(all, keywords(run, words...)...) }
	say(passFlag("P", "P"), "unzip")
	say(passFlag("p", ""), "7za ", "7zr ", "rar a", "rar x", "unrar")
	say(passFlag("", "p"), "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport")
	say(passFlag("N", "N"), "ssh-keygen")
	say(passFlag("", "w"), "ldapadd", "ldapmodify", "ldapdelete", "ldappasswd", "ldapwhoami")
	say(passFlag("", "P"), "bcp ", "ipmitool", "isql ", "freebcp", "tsql ")
	say(userFlag, "lftp")
	say(positional(2), "rabbitmqctl add_user", "rabbitmqctl change_password", "net user")
	say(positional(1), "ngrok authtoken", "add-authtoken", "wandb login", "cargo login", "snyk auth", "vault login", "infracost auth")
	say(wordFlag("password"), "nmcli")
	say(wordFlag("-pw"), "plink", "pscp", "psftp", "putty", "kitty")
	say(wordFlag("/rp", "/p"), "schtasks", "psexec", "wmic", "systeminfo")
	say(wordFlag("-A", "-X"), "snmpwalk", "snmpget", "snmpset", "snmpbulkwalk")
	say(wordFlag("-c"), "snmpwalk -v1", "snmpwalk -v2c", "snmpget -v2c", "snmpwalk -v 2c")
	say(wordFlag("using"), "db2 connect")
	say(wordFlag("MD5", "SHA", "SHA-256", "SHA-512", "DES", "AES", "AES-128", "AES-256"), "createuser ")
	say(wordFlag("md5", "sha", "des", "aes 128", "aes 192", "aes 256"), "snmp-server user ", "snmpv3 user ")
	say(colonFlag("/p:"), "freerdp", "mstsc")
	say(passFlag("p", ""), "7z a", "7z x", "7z e", "7z t", "7z l", "7z u")
	all = append(all, keyword{word: "zip", fills: " -", run: passFlag("P", "P")})
	all = append(all, keyword{word: "<<<", fills: " \"'$" + fillWord, run: hereString})
	say(colonLine, ":5432:", ":5433:", ":6432:", ":6543:")
	all = append(all, keyword{word: ":*:", fills: "*" + fillWord, run: colonLine})
	say(relayLine, "]:587", "]:465", "]:25 ", "]:2525")
	return all
}

// colonFlag finds the password behind a flag that ends with a colon.
func colonFlag(flag string) finder {
	return func(text []byte, i, n int, add func(span)) {
		end := commandEnd(text, i+n)
		k := bytes.Index(text[i:end], []byte(" "+flag))
		if k < 0 {
			return
		}
		start := skipAny(text, i+k+1+len(flag), 1, "\"'")
		if stop := wordStop(text, start, end); stop-start >= 3 && !placeholder(text[start:stop]) && !reference(text[start:stop]) {
			add(span{start, stop, -1, kindPassword})
		}
	}
}

// wordFlag finds the password behind a flag and a space.
func wordFlag(flags ...string) finder {
	return func(text []byte, i, n int, add func(span)) {
		end := commandEnd(text, i+n)
		for _, f := range flags {
			k := bytes.Index(text[i:end], []byte(" "+f+" "))
			if k < 0 {
				continue
			}
			start := skipAny(text, i+k+len(f)+2, 2, " \"'")
			if stop := wordStop(text, start, end); stop-start >= 3 && !placeholder(text[start:stop]) && !reference(text[start:stop]) && text[start] != '-' {
				add(span{start, stop, -1, kindPassword})
			}
		}
	}
}

// secretFlag finds the value that a command stores as a secret.
func secretFlag(text []byte, i, n int, add func(span)) {
	wordFlag("--body", "--value", "-b", "--data", "--secret-value", "--plaintext")(text, i, n, add)
}

// readers are programs that read a password from where their input comes from.
var readers = []string{"kinit", "cryptsetup", "passwd", "sudo -s", "gpg", "su ", "pass insert", "vault login", "auth login", "docker login", "password-stdin", "secret put", "secret set", "secrets set", "config set", "with-token", "openssl", "veracrypt", "keyctl", "secret-tool"}

// hereString finds what a shell gives to a program that reads a password.
func hereString(text []byte, i, n int, add func(span)) {
	before := strings.ToLower(string(text[lineStart(text, i):i]))
	for _, r := range readers {
		if !strings.Contains(before, r) {
			continue
		}
		start := skipAny(text, i+n, 3, " \"'")
		stop := wordStop(text, start, lineEnd(text, i))
		if b := text[start:stop]; len(b) >= 4 && !placeholder(b) && !reference(b) {
			add(span{start, stop, -1, kindPassword})
		}
		return
	}
}
