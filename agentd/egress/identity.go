package egress

import (
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// identity is one kind of number that a state gives to a person.
type identity struct {
	kind  Kind
	form  string                   // how it is written (shape.go)
	holds func(number string) bool // number has digits and capital letters only
	words string                   // words that name it, as the lexicon takes them
	proof proof
}

// proof is what a number says for itself.
type proof int

const (
	weak    proof = iota // it has no check digits, or hardly any: it counts beside words that name just it
	shared               // so, and firms have one too: it counts where no firm is named
	checked              // its check digits hold: loose words are enough
	rare                 // its form and check are so rare that it counts without words
)

// identities finds numbers of persons.
func identities(m *message, f *found) {
	kinds := identityKinds()
	end := 0 // of the last that was found: a part of it is no other number
	for _, c := range candidates(m.text, m.tokens) {
		if c.from < end {
			continue
		}
		number := bare(m.text[c.from:c.to])
		for _, i := range c.kinds {
			if k := &kinds[i]; k.is(number, m, c, firstIdentity+topic(i)) {
				f.add(k.kind)
				f.people[number] = true
				end = c.to
			}
		}
	}
}

// is says whether a number is of this kind, by what it is and by the words around it.
func (k *identity) is(number string, m *message, c candidate, own topic) bool {
	if !k.holds(number) {
		// A slip of the pen: the name of the number stands right before it.
		return k.proof >= checked && !c.inside && !placeholder(number) && m.labelled(own, c.from)
	}
	from, to := max(0, c.from-before), c.to+behind
	if k.proof == shared && firm.MatchString(m.text[from:min(len(m.text), to+behind)]) {
		return false
	}
	if m.near(own, from, to) || k.proof >= checked && m.near(anyIdentity, from, to) {
		return true
	}
	return k.proof == rare && !c.inside && !m.ofThing(c.from) && !m.listedThing(c.from) && !m.inLink(c.from)
}

// farLabel is how far before a number its label may end.
const farLabel = 12

// labelled says whether a word of a topic stands right before a place, with no other number between.
func (m *message) labelled(of topic, at int) bool {
	i, _ := slices.BinarySearchFunc(m.hits, at, func(h hit, at int) int { return h.from - at })
	for i--; i >= 0 && m.hits[i].from > at-before; i-- {
		h := m.hits[i]
		if h.of != of || h.to > at {
			continue
		}
		return at-h.to <= farLabel && !strings.ContainsAny(m.text[h.to:at], "0123456789\n,;.?!") && !denied.MatchString(m.lower[h.to:at])
	}
	return false
}

var denied = lazyre.MustCompile(`\b(?:not|no longer|invalid|kein|nicht|pas|non)\b`)

// placeholder says whether a number is one that forms show: one digit over and over, or one after the other.
func placeholder(number string) bool {
	same, rising := 0, 0
	for i := 1; i < len(number); i++ {
		same += b2i(number[i] == number[i-1])
		rising += b2i(number[i] == number[i-1]+1 || number[i-1] == '9' && number[i] == '0')
	}
	return max(same, rising) >= len(number)-2
}

// anyIdentityWords name a number as that of a person without saying which state gave it.
const anyIdentityWords = `national id|national no|national number|national ident|national insurance n|personal id|personal no|personal number|personal ident|personal code|citizen id|citizen no|citizen number|citizen card|` +
	`resident id|resident no|resident number|resident regis|government id|government-issued|social id|social number|social ins|social sec|state id|fiscal id|fiscal no|fiscal number|fiscal code|individual no|individual number|individual tax|` +
	`tax id|tax-id|taxid|tax_id|taxpayer id|taxpayer no|taxpayer number|taxpayer ref|tax no|tax number|tax ref|tax code|tax ident|identity no|identity nr|identity number|identity code|identification no|identification nr|identification number|identification code|id number|id no$|id-number|` +
	`steuernummer|steueridentifik|personenkennz|personalausweisn|ausweisnummer|persönliche nummer|versichertennummer|sozialnummer|identifikationsn|` +
	`numéro fiscal|numero fiscal|numéro d'identi|numéro national|numéro de sécurité|numéro d'assuré|número fiscal|número de identi|numero de identi|número nacional|número de contribuinte|número de la seguridad|documento nacional|documento de identi|documento di identi|numero di identi|numero fiscale|codice personale|codice identificativo|cédula|cedula|` +
	`persoonsnummer|identificatienummer|fiscaal nummer|numer identyfikacyjny|numer ewidencyjny|numer osobisty|personnummer|personnr|personnumer|henkilönumero|henkilötun|személyi|cod personal|broj osobne|matični broj|maticni broj|osobní číslo|rodné|rodne|` +
	`идентификац|личный номер|особистий|единен граждански|身份证|身分證|個人番号|주민|kimlik|رقم الهوية|الرقم القومي|מספר זהות|תעודת זהות`
