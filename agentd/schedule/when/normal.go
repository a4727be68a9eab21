package when

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"gatehouse/agentd/lazyre"
)

var (
	letters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "’", "'", "o'clock", "oclock", "a.m.", "a.m",
		"p.m.", "pm",
		"–", "-", ",", " ", ";", " ", "!", " ", "?", " ", "(", " ", ")", " ",
		"\"", " ", "“", " ", "”", " ", "„", " ", "midday", "noon")
	ordinalEnd = lazyre.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)\b`)
	endStop    = lazyre.MustCompile(`([a-z])\.(\s|$)`)
	endHour    = lazyre.MustCompile(`\b(at|um) (\d{1,2})\.$`)
	task       = lazyre.MustCompile(`^(?:please )?(?:remind me|tell me|wake me|` +
		`bitte erinnere mich|erinnere mich|erinner mich|sag mir)(?: bitte| please)? `)
	tail     = lazyre.MustCompile(` (?:to [a-z]|that |about |daran|an (?:die|den|das|der|dem|mein|unser)|dass ).*$`)
	word     = lazyre.MustCompile(`[a-z]+`)
	secondOf = lazyre.MustCompile(`\bsecond (mon|tue|wed|thu|fri|sat|sun|day|week|month|hour|of)`)
)

// normal is a phrase in small ASCII letters, with numbers for words.
func normal(text string) string {
	s := letters.Replace(strings.ToLower(norm.NFKC.String(text)))
	s = strings.ReplaceAll(s, "a.m", "ante")
	s = endStop.ReplaceAllString(s, "$1$2")
	s = strings.Join(strings.Fields(s), " ")
	s = endHour.ReplaceAllString(s, "$1 $2")
	s = task.ReplaceAllString(s, "")
	s = secondOf.ReplaceAllString(s, "2. $1")
	s = word.ReplaceAllStringFunc(s, func(w string) string {
		if n, ok := numbers[w]; ok {
			return n
		}
		return w
	})
	s = strings.NewReplacer("twenty-", "2", "thirty-", "3").Replace(s)
	s = ordinalEnd.ReplaceAllString(s, "$1.")
	return " " + tail.ReplaceAllString(s, "") + " "
}

// numbers are the words for numbers and places in an order. What has an "a" for "one" is told by its rule.
var numbers = numberWords(map[string]string{
	"1": "one eins", "2": "two zwei", "3": "three drei", "4": "four vier", "5": "five fuenf", "6": "six sechs", "7": "seven sieben",
	"8": "eight acht", "9": "nine neun", "10": "ten zehn", "11": "eleven elf", "12": "twelve zwoelf", "13": "dreizehn thirteen",
	"14": "fourteen vierzehn", "15": "fifteen fuenfzehn", "16": "sixteen sechzehn", "17": "seventeen siebzehn",
	"18": "eighteen achtzehn", "19": "nineteen neunzehn", "20": "twenty zwanzig", "21": "einundzwanzig", "22": "zweiundzwanzig",
	"23": "dreiundzwanzig", "30": "thirty dreissig", "40": "forty vierzig", "45": "fuenfundvierzig", "50": "fifty fuenfzig",
	"60": "sixty sechzig", "90": "ninety neunzig",
	"1.": "first erste ersten erster erstes", "2.": "zweite zweiten zweiter zweites other", "3.": "third dritte dritten dritter",
	"4.": "fourth vierte vierten vierter", "5.": "fifth fuenfte fuenften", "6.": "sixth sechste sechsten",
	"7.": "seventh siebte siebten", "8.": "eighth achte achten", "9.": "ninth neunte neunten", "10.": "tenth zehnte zehnten",
	"11.": "eleventh elfte elften", "12.": "twelfth zwoelfte zwoelften", "15.": "fifteenth fuenfzehnte fuenfzehnten",
	"20.": "twentieth zwanzigste zwanzigsten", "30.": "thirtieth dreissigste dreissigsten",
	"last": "letzte letzten letzter letztes",
})

func numberWords(table map[string]string) map[string]string {
	all := map[string]string{}
	for n, words := range table {
		for _, w := range strings.Fields(words) {
			all[w] = n
		}
	}
	return all
}

// small are the words that may stand between the others.
var small = map[string]bool{}

func init() {
	const words = "| at on the of in um am an im den der die das dem des and und then dann gegen about around ca " +
		"uhr oclock genau exactly " +
		"sharp o'clock bitte please starting ab a vom"
	for _, w := range strings.Fields(words) {
		small[w] = true
	}
}
