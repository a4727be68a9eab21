package i18n

import "strings"

var accents = strings.NewReplacer(
	"a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú", "y", "ý", "c", "ç", "n", "ñ", "s", "š", "z", "ž",
	"A", "Á", "E", "É", "I", "Í", "O", "Ó", "U", "Ú", "C", "Ç", "N", "Ñ", "S", "Š", "Z", "Ž",
)

// pseudo makes a text longer by two fifths and puts accents on it, and leaves the names of arguments alone. The marks
// at both ends show whether a page cuts it off, and a text without them was written past the catalogue.
func pseudo(text string) string {
	var b strings.Builder
	b.WriteString("⟦")
	for rest := text; rest != ""; {
		plain, name, found := strings.Cut(rest, "{")
		b.WriteString(accents.Replace(plain))
		if !found {
			break
		}
		arg, after, _ := strings.Cut(name, "}")
		b.WriteString("{" + arg + "}")
		rest = after
	}
	b.WriteString(" " + strings.Repeat("·", len(text)*2/5) + "⟧")
	return b.String()
}
