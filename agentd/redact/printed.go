package redact

import "bytes"

// printers are commands, or the ends of commands, that print a secret and nothing else.
var printers = []string{
	"base64 -d", "base64 --decode", "print-access-token", "print-identity-token", "initial-password", "initialadminpassword", "openssl rand", "pwgen", "op read", "vault kv get -field",
	"get-secret-value", "with-decryption", "secretstring", "config:get", "get-login-password", "auth token", "token create", "create token", "kubectl get secret", "gopass show", "security find-generic-password",
	"versions access", "mkpasswd", "apg -", "read -field", "wg genkey", "wg genpsk", "secrets get", "show-token", "docker swarm join-token", "xkcdpass", "uuidgen -s",
}

// printedBelow finds the secret that a command printed: the word that stands alone on the line below it.
func printedBelow(text []byte, i, n int, add func(span)) {
	end := lineEnd(text, i+n)
	if end >= len(text) || end-i > maxForm {
		return
	}
	start := end + 1
	stop := lineEnd(text, start)
	b := bytes.TrimRight(text[start:stop], " \t\r")
	if len(b) < 8 || bytes.ContainsAny(b, " \t{}()") || digestLike(b) && len(b) < 32 || linkish(b) || uuidAt(b) {
		return
	}
	if strongWord(b) || machineMade(b) || jumbled(b) && solid(b) || coined(b) && phrased(b) {
		add(span{start, start + len(b), -1, kindToken})
	}
}
