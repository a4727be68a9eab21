package redact

const kindVault = "vault-token"

// oldVaultToken finds a token as Vault gave them before it put a name of its own before them: "s." and 24 signs.
func oldVaultToken(text []byte, i int, add func(span)) {
	const n = len("s.")
	end := i + n
	for end < len(text) && end < i+n+25 && (isLetter(text[end]) || isDigit(text[end])) {
		end++
	}
	if i > 0 && (isWord(text[i-1]) || among("./-", text[i-1])) || end-i-n != 24 || end < len(text) && !among("\"'`; \t\r\n\\,", text[end]) {
		return
	}
	if v := text[i+n : end]; hasDigit(v) && entropy(v) >= 3.3 && !wordy(v) {
		add(span{i, end, -1, kindVault})
	}
}
