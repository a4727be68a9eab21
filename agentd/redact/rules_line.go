package redact

import (
	"bytes"
	"slices"
)

// secretLines are what stands in lines that tell a program, a device or a person a secret without a name for it: of such a
// line every word counts that can be nothing else.
var secretLines = []string{
	"createuser ", "psexec", "<methodname>wp.", "usermod ", "useradd ", "adduser ", "| passwd", "chpasswd", "smbpasswd", "qpdf --encrypt", "pdftk ", "twine upload",
	"composer config", "encrypt_string", "nuget push", "radius-server", "tacacs-server", "runas ", "cmdkey ", "expect \"", "send \"", "send -- \"", "wpa_passphrase ",
	"<<< \"", "<<< '", "kinit ", "htpasswd ", "npm login", "ftp -", "cryptsetup ", "veracrypt ", "ipmitool ", "snmpv3", "snmp-server user",
	"rpcclient ", "evil-winrm", "crackmapexec", "netexec ", "secretsdump", "kadmin", "ldapmodify", "dsmod ", "net user", "mksmbpasswd", "autossh ",
	"usm-user", "rocommunity", "rwcommunity", "--password-file", "ppp chap", "mosquitto_passwd", "kafka-configs", "virsh secret", //nolint:misspell // the name of a program
	"doveadm pw", "slappasswd", "pw usermod", "dscl . -passwd", "sysadminctl", "openssl passwd", "bw unlock", "op signin", "keepassxc", "ansible-vault", "alias set ", "samba-tool", "iwconfig ", "uci set ", "<(echo ", "<(printf ", "simple_bind", "config host add",
}

// accessLines are sentences about how to get in.
var accessLines = []string{"creds", "credentials", "zugangsdaten", "logindaten", "anmeldedaten", "identifiants", "credenziali", "credenciales", "credenciais", "inloggegevens", "username", "benutzername", "login:", "login ", "nom d'utilisateur"}

// lineBefore is how far before a keyword its line is read.
const lineBefore = 300

// lineWords are the keywords of such lines, and of flags that say no more than that a password follows.
func lineWords() []keyword {
	return slices.Concat(
		keywords(lineSecrets, secretLines...),
		keywords(accessLine, accessLines...),
		keywords(flaggedWord, " -p ", " -pw ", " -pass ", " -w ", " /p:", " /pass:", " -a ", " -k ", " -s ", " <<< "),
		keywords(expectAnswer, "send \"", "send -- \""),
		keywords(handedToken, " init ", " enroll ", " activate ", " register ", " login ", " auth ", " authtoken "),
		keywords(cookieFlag, " -b '", " -b \"", " -b sess", "--cookie "),
		keywords(flagValue, "::add-mask::", "issecret=true]", "-passin pass:", "-passout pass:", "-pass pass:", "-password pass:"),
	)
}

// accessLine is lineSecrets for sentences: programs speak of logins too.
func accessLine(text []byte, i, n int, add func(span)) {
	low := max(0, i-lineBefore)
	if line := text[low+bytes.LastIndexByte(text[low:i], '\n')+1 : min(lineEnd(text, i), i+lineBefore)]; !bytes.ContainsAny(line, ";{}=<>[]") && !calls(line) {
		lineSecrets(text, i, n, add)
	}
}

// calls says whether something is called in a line.
func calls(line []byte) bool {
	for i, c := range line {
		if c == '(' && i > 0 && isWord(line[i-1]) {
			return true
		}
	}
	return false
}

// lineSecrets finds the words of the line around a keyword that can be nothing but secrets.
func lineSecrets(text []byte, i, n int, add func(span)) {
	if i > 0 && isLetter(text[i]) && isWord(text[i-1]) {
		return
	}
	low := max(0, i-lineBefore)
	at, end := low+bytes.LastIndexByte(text[low:i], '\n')+1, commandEnd(text, i+n)
	for at < end {
		at = skipAny(text, at, 40, " \t\"'=()<>{}")
		stop := at
		for stop < end && text[stop] > ' ' && !among("\"'(){}<>", text[stop]) {
			stop++
		}
		v := value{start: at, end: stop}
		if k := bytes.Index(text[at:stop], []byte(`\`)); k > 0 && stop-at-k <= 3 {
			v.end = at + k // the end of a line within quotes
		}
		if k := bytes.IndexByte(text[at:v.end], ':'); k > 0 && identifier(text[at:at+k]) {
			v.start += k + 1
		}
		if k := bytes.Index(text[v.start:v.end], []byte(`\n`)); k > 0 && identifier(text[v.start:v.start+k]) {
			v.start += k + 2
		}
		if b := text[v.start:v.end]; hasDigit(b) && strongWord(b) && !versioned(b) || len(b) >= 32 && machineMade(b) && !digestLike(b) && !uuidAt(b) {
			add(span{v.start, v.end, -1, kindPassword})
		}
		at = max(stop, at+1)
	}
}

// flaggedWord finds the word behind a flag of few letters, when it can be nothing but a password.
func flaggedWord(text []byte, i, n int, add func(span)) {
	start := skipAny(text, i+n, 1, "\"'")
	if stop := wordStop(text, start, lineEnd(text, start)); strongWord(text[start:stop]) || !among("sk", text[i+2]) && besideUser(text, i, text[start:stop]) {
		add(span{start, stop, -1, kindPassword})
	}
}

// besideUser says whether b can be a password where the command before i names a user by a flag.
func besideUser(text []byte, i int, b []byte) bool {
	return coined(b) && (mixedCase(b) || marked(b)) && !bytes.ContainsAny(b, ":=.@") && !ofMachine(b) &&
		namesUser(text[max(lineStart(text, i), i-lineBefore):i]) && !mentions(text[max(lineStart(text, i), i-lineBefore):i], "docker", "podman", "nerdctl", "ssh ", "scp ", "rsync", "mkdir")
}

// namesUser says whether a command names a user by a flag.
func namesUser(command []byte) bool {
	for _, flag := range []string{" -u ", " -U ", " --user ", " --user=", " --username ", " --username=", " -l "} {
		if bytes.Contains(command, []byte(flag)) {
			return true
		}
	}
	return false
}

// flagValue finds the word behind a flag that nothing but a password follows.
func flagValue(text []byte, i, n int, add func(span)) {
	start := skipAny(text, i+n, 1, "\"'")
	stop := wordStop(text, start, lineEnd(text, start))
	if b := text[start:stop]; len(b) >= 4 && !placeholder(b) && !reference(b) {
		add(span{start, stop, -1, kindPassword})
	}
}
