package ingress

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
