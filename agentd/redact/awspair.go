package redact

// How far behind the id of an AWS key its secret is looked for, and how long that is.
const (
	pairedNear = 100
	pairedLen  = 40
)

// pairedSecret finds the secret of an AWS key that stands near its id without a name.
func pairedSecret(text []byte, i, _ int, add func(span)) {
	if i > 0 && isWord(text[i-1]) || !rowOf(text, i, 20) {
		return
	}
	end := min(len(text), i+20+pairedNear)
	for at := i + 20; at+pairedLen <= end; at++ {
		if class[text[at]]&clsBase64 == 0 || at > 0 && class[text[at-1]]&clsBase64 != 0 {
			continue
		}
		stop := at
		for stop < len(text) && (class[text[stop]]&clsBase64 != 0 || text[stop] == '=') {
			stop++
		}
		if b := text[at:stop]; len(b) == pairedLen && mixedCase(b) && randomish(b) && !structured(b) && !digestLike(b) {
			add(span{at, stop, -1, "aws-secret-access-key"})
			return
		}
		at = stop
	}
}
