package redact

import "bytes"

// particles stand between a name and a value in languages that put no spaces between words.
var particles = []string{"は", "が", "是", "为", "為", "는", "은", "이", "を"}

// particleValue reads a value that such a particle joins to its name at i: it ends where the script changes back.
func particleValue(text []byte, i int) (value, bool) {
	for _, p := range particles {
		if !bytes.HasPrefix(text[i:], []byte(p)) {
			continue
		}
		at := skipAny(text, i+len(p), 3, " :\t")
		at = quoteRune(text, at)
		v, ok := readValue(text, at, value{prose: true})
		for k := v.start; k < v.end; k++ {
			if text[k] >= 0x80 {
				v.end = k
			}
		}
		return v, ok && v.end-v.start >= 6
	}
	return value{}, false
}

// quoteRune goes over an opening quote that is not of ASCII.
func quoteRune(text []byte, at int) int {
	for _, q := range []string{"«", "“", "„", "‘", "‚"} {
		if bytes.HasPrefix(text[at:], []byte(q)) {
			return skipAny(text, at+len(q), 3, " \xc2\xa0")
		}
	}
	return at
}
