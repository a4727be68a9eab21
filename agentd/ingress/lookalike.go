package ingress

import (
	"strings"
	"unicode"
)

// pairs lists look-alikes of Latin letters by the letter they pass for. Compatibility forms (full width, mathematical,
// circled) are not here: normalisation knows them.
var pairs = map[string]string{
	"a": "аαɑᴀΑАᎪꓮ∀ɐ", "b": "ЬвΒВᏴʙƄɓꓐ", "c": "сϲᴄСϹᏟⅽꓚ", "d": "ԁɗᴅᎠđĐꓓ", "e": "еҽєᴇЕΕᎬεɛэǝꓰ", "f": "ƒϝꓝғ",
	"g": "ɡɢԍᏀꓖ", "h": "һʜНΗᎻհꓧђ", "i": "іιıɪІΙӀɩᎥꓲ", "j": "јʝЈϳᎫꓙᴊ", "k": "кκᴋКΚᏦĸꓗ", "l": "ӏǀʟⅼᏞłŁꓡ",
	"m": "мᴍМΜᎷꓟɯ", "n": "пηɴΝոꓠи", "o": "оοᴏОΟօσØøꓳө", "p": "рρᴘРΡᏢꓑ", "q": "ԛզ", "r": "гᴦʀᎡꓣя", "s": "ѕꜱЅᏚꓢʂ",
	"t": "тτᴛТΤᎢꓔʇ", "u": "υսᴜʋцꓴ", "v": "νѵᴠᏙꓦ", "w": "ѡԝᴡᏔωшꓪ", "x": "хχХΧҳꓫ", "y": "уүʏγУΥҮყꓬ", "z": "ᴢΖᏃʐꓜ",
	"ss": "ß", "ae": "æÆ", "oe": "œŒ", "th": "þÞ",
}

// lookalike maps one rune to the Latin letters it passes for.
var lookalike = func() map[rune]string {
	m := map[rune]string{}
	for latin, all := range pairs {
		for _, r := range all {
			m[r] = latin
		}
	}
	return m
}()

// masked reads the words of a text that mix letters of Latin with look-alikes of other scripts. One such word is a slip or a
// name, so two are asked for.
func masked(s string) []string {
	if easy(s) {
		return nil
	}
	var found []string
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if mixed := strings.IndexFunc(w, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek) }) >= 0 &&
			strings.IndexFunc(w, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) >= 0; mixed {
			found = append(found, fold(w))
		}
	}
	if len(found) < 2 {
		return nil
	}
	return joined(found)
}
