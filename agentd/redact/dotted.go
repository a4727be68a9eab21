package redact

import "bytes"

// A bot token of Discord is three parts with points between them: a number in base64, six characters of a time, and a
// code of at least 27.
const (
	botHead = 23
	botTime = 6
	botCode = 27
)

// dotted finds such tokens, and old ones of Vault, by their points: they have nothing else that a keyword could be made
// of.
func dotted(text []byte, add func(span)) {
	for i := 1; i < len(text); i++ {
		k := bytes.IndexByte(text[i:], '.')
		if k < 0 {
			return
		}
		i += k
		if i >= botHead && i+botTime+1+botCode < len(text) && text[i+botTime+1] == '.' {
			botToken(text, i, add)
		}
		if text[i-1] == 's' {
			oldVaultToken(text, i-1, add)
		}
	}
}

func botToken(text []byte, i int, add func(span)) {
	start, end := i, i+botTime+2
	for start > 0 && i-start <= 28 && urlSafe(text[start-1]) {
		start--
	}
	for end < len(text) && end-i < 60 && urlSafe(text[end]) {
		end++
	}
	if k := i - start; k < botHead || k > 28 || end-i-botTime-2 < botCode || text[start] < 'M' || text[start] > 'O' {
		return
	}
	for _, c := range text[i+1 : i+1+botTime] {
		if !urlSafe(c) {
			return
		}
	}
	if randomish(text[i+botTime+2 : end]) {
		add(span{start, end, -1, "discord-bot-token"})
	}
}

func urlSafe(c byte) bool { return isWord(c) || c == '-' }
