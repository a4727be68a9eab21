package wire

import (
	"crypto/sha256"
	"strings"
)

// The fixed list of words: 16 first letters, 4 vowels, 16 letters and 2 endings make 2,048 words of 11 bits, which can be
// said aloud and are told apart by ear.
const (
	wordLetters = "bdfhjklmnprstvwz"
	wordVowels  = "aeio"
	wordEndings = "au"
	wordBits    = 11
	wordCount   = 6
)

// Words is a fingerprint for people to compare: the first 66 bits of the SHA-256 of key, as six words. Of each word, the
// highest four bits choose the first letter, two the vowel, four the next letter and one the ending. The key is the DER of
// an approver key, or the 32 bytes of a server's card key.
func Words(key []byte) string {
	sum := sha256.Sum256(key)
	bit := func(i int) int { return int(sum[i/8]>>(7-i%8)) & 1 }
	words := make([]string, wordCount)
	for w := range words {
		n := 0
		for i := range wordBits {
			n = n<<1 | bit(w*wordBits+i)
		}
		words[w] = string([]byte{wordLetters[n>>7], wordVowels[n>>5&3], wordLetters[n>>1&15], wordEndings[n&1]})
	}
	return strings.Join(words, " ")
}
