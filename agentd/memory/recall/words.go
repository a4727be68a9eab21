package recall

import (
	"strings"
	"unicode"

	snowball "github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the longest word that is compared letter by letter, in bytes; of longer ones the beginning counts.
const maxWord = 48

// wordsOf are the words of a text in one spelling: compatible letters alike, lower case, no accents, ß as ss.
func wordsOf(text string) []string {
	folded := norm.NFKD.String(cases.Fold().String(norm.NFKC.String(text)))
	var bare strings.Builder
	for _, r := range folded {
		if !unicode.Is(unicode.Mn, r) {
			bare.WriteRune(r)
		}
	}
	words := strings.FieldsFunc(bare.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		words[i] = cut(w, maxWord)
	}
	return words
}

func cut(w string, most int) string {
	if len(w) <= most {
		return w
	}
	return strings.ToValidUTF8(w[:most], "")
}

// stemsOf are the stems of a folded word, in English and in German: nobody says in which language a note is.
func stemsOf(word string) (stems []string) {
	for _, stem := range []func(*snowball.Env) bool{english.Stem, german.Stem} {
		env := snowball.NewEnv(word)
		stem(env)
		if s := env.Current(); s != "" && (len(stems) == 0 || stems[0] != s) {
			stems = append(stems, s)
		}
	}
	return stems
}

// common are words that say nothing about what a question is about.
var common = set(`a about all an and are as at be by did do does each every for from give had has have how i if in is it its many much
	must my need needs of on or our per that the their there they this to until us was we were what when where which who whom whose will
	with would you your
	aber alle als am an ab auf aus bei bis da das dem den der des die durch ein eine einem einen einer eines er es fur gibt hat haben hoch
	ich ihr im in ist je kann laut man mit muss nach nicht nur oder pro sein sich sie sind so um und uns unser unsere vom von vor wann war
	was welche welchem welchen welcher welches wem wen wenn wer werden wie wird wir wo zu zum zur`)

func set(list string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		all[w] = true
	}
	return all
}

// asked are the words of a question that say what it is about; all of them when none does.
func asked(text string) []string {
	all := wordsOf(text)
	var telling []string
	for _, w := range all {
		if !common[w] {
			telling = append(telling, w)
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}
