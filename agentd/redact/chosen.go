package redact

// ownSecrets are what a word stands before "secret" for, when a person may choose it and no program refers to it by a name.
var ownSecrets = set(`jwt signing client session sessions cookie cookies app application api webhook auth shared hmac token encryption nextauth csrf
	oauth oauth2 user hash access refresh state server my express flask rails consumer bot mail admin bind ldap`)

// chosenSecret says whether a setting gives a secret that a person made up, as for signing sessions.
func (v value) chosenSecret(name, b []byte) bool {
	words := wordsOf(name)
	n := len(words)
	if n == 0 || words[n-1] != "secret" && words[n-1] != "credentials" || n > 1 && !ownSecrets[words[n-2]] {
		return false
	}
	return (v.tight || v.quoted || v.whole) && !v.comma && len(b) >= 8 && coined(b)
}
