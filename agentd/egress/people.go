package egress

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

// From how many entries on a text is a list. A signature holds a few numbers and one address; a mail to a team names
// some of it.
const (
	phonesInList    = 5
	mailsInList     = 8
	addressesInList = 4
)

// lists finds many addresses or numbers of people.
func lists(m *message, f *found) {
	if len(m.mails()) >= mailsInList {
		f.add(MailList)
	}
	own := m.ofBranches()
	if n := m.phones(); n >= phonesInList && (!own || n > branches) {
		f.add(PhoneList)
	}
	if n := m.addresses(); n >= addressesInList && (!own || n > branches) {
		f.add(AddressList)
	}
}

// branches is how many houses of its own a firm lists at most.
const branches = 8

// branchList is how a text begins that says where a firm is.
var branchList = lazyre.MustCompile(`^\s*(?:[\pL' ]{0,40}[,.:!]\s+)?(?:our|unsere|nos|nuestr[ao]s|le nostre|onze|nasze|store|shop|branch|office|filial|all) ?(?:\pL+ ){0,2}?(?:offices|branches|shops|stores|locations|sites|list|numbers|filialen|standorte|geschäfte|läden|büros|agences|magasins|bureaux|oficinas|tiendas|sucursales|sedi|negozi|uffici|winkels|vestigingen|filialer|butiker|sklepy|oddziały|biura)\b[^\n]{0,20}:`)

// ofBranches says whether a text lists the houses of the firm, and no people.
func (m *message) ofBranches() bool { return m.pairs() < 2 && branchList.MatchString(m.lower) }

var mailForm = lazyre.MustCompile(`(?i)[a-z0-9._%+'-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+`)

// Around the @ of an address: so many bytes before and behind.
const (
	mailBefore = 64
	mailBehind = 100
)

// roles are names before the @ behind which stands a part of a firm.
var roles = wordSet("info office contact kontakt mail hello sales vertrieb verkauf support service help helpdesk billing accounting buchhaltung invoice rechnung orders bestellung press presse jobs karriere bewerbung hr legal it ops admin webmaster postmaster abuse security privacy datenschutz marketing purchasing einkauf team reception empfang no-reply noreply newsletter soporte ventas ventes compta facturation administration")

// mails gives the different e-mail addresses of people.
func (m *message) mails() map[string]bool {
	seen := map[string]bool{}
	for at, last := 0, 0; len(seen) < 500; at++ {
		i := strings.IndexByte(m.lower[at:], '@')
		if i < 0 {
			break
		}
		at += i
		from, to := max(last, at-mailBefore), min(len(m.lower), at+mailBehind)
		last = at
		for _, a := range mailForm.FindAllString(m.lower[from:to], 1) {
			if name, _, _ := strings.Cut(a, "@"); !roles[name] {
				seen[strings.Trim(a, ".'")] = true
			}
		}
	}
	return seen
}

const roadWords = `street|st$|road|rd$|avenue|ave$|lane|ln$|drive|dr$|boulevard|blvd|court$|place$|way$|square|terrace|close$|crescent|highway|circle$|quay|rue$|chemin|impasse|allée|quai|cours$|route|calle|avenida|avda|c/ |plaza|paseo|camino|carrer|via$|viale|piazza|corso|largo|strada|rua$|travessa|praça|ul. |ulica|al. |os. |plac$|улица|ул. |проспект|οδός|οδος|bulevard|bd. |jalan|jl. |sokak|caddesi|mah. |cad. |sok. `

// roadEnds are how the names of streets end where the number follows.
var roadEnds = []string{"straße", "strasse", "str.", "weg", "gasse", "platz", "allee", "ring", "damm", "ufer", "straat", "laan", "plein", "gracht", "kade", "gatan", "vägen", "gata", "veien", "vegen", "gade", "vej", "allé", "katu", "tie", "utca", "út", "tér", "ulice", "náměstí", "třída", "cesta", "ulica", "iela", "tänav", "gatvė", "singel", "markt", "dijk", "steeg", "chaussee", "promenade", "steig", "stieg", "graben", "zeile", "torget", "torg", "plass", "väg", "gränd", "stræde", "kuja", "köz", "nábřeží"}

var roadForm = lazyre.MustCompile(`(?i)\b\d{1,5}[a-z]? (?:[\pL.']+ ){1,4}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|way|square|terrace|close|crescent|highway|circle|quay)\b\.?` +
	`|(?:^|[^\pL])(?:ul\.|улица|ул\.|проспект|οδός|jalan|jl\.|bd\.|bulevard\pL*|strada) [\pL-]{3,25}(?: [\pL-]{3,25})?,? \d{1,4}[a-z]?` +
	`|\b\d{1,4},? (?:bis |ter )?(?:rue|avenue|boulevard|place|chemin|impasse|allée|quai|cours|route) [\pL' -]{3,40}|(?:^|[^\pL])(?:calle|avenida|avda\.?|c/|plaza|paseo|camino|carrer|via|viale|piazza|corso|largo|strada|rua|travessa|praça|ul\.|ulica|al\.|os\.|plac) [\pL'. -]{3,40},? (?:n[º°.]? ?)?\d{1,4}|[\pL' ]{3,30} (?:sokak|caddesi|sok\.|cad\.)[^\n\d]{0,8}\d{1,4}`)

// Around the name of a street: so many bytes before and behind.
const (
	roadBefore = 44
	roadBehind = 48
)

// addresses counts different streets with a number.
func (m *message) addresses() int {
	seen := map[string]bool{}
	for i, t := range m.tokens {
		if t.digits > 0 && t.digits <= 4 && i > 0 {
			if road := m.roadBefore(t.from); road != "" {
				seen[road+m.lower[t.from:t.to]] = true
			}
		}
	}
	if len(seen) > 1 {
		for _, a := range stop.FindAllString(m.text, 50) {
			seen[lastRoad(a)] = true
		}
	}
	roads := m.about(roadTopic)
	if len(seen)+len(roads) < addressesInList {
		return 0
	}
	for _, h := range roads {
		part := whole(m.lower, span{h.from - roadBefore, h.to + roadBehind})
		if !strings.ContainsAny(part, "0123456789") {
			continue
		}
		for _, a := range roadForm.FindAllString(part, 4) {
			seen[strings.Trim(a, " ,.\n")] = true
		}
	}
	return len(seen)
}

// stop is a line with a street, its number and its town, among others that are known to be streets.
var stop = lazyre.MustCompile(`(?m)^[\s\d.*)-]*\p{Lu}[\pL .'-]{3,30} \d{1,4}[a-z]?,\s*(?:\d{4,5}\s?[A-Z]{0,2}\s)?\p{Lu}[\pL -]{2,24}$`)

// lastRoad is the street of such a line as roadBefore writes it.
func lastRoad(line string) string {
	road, _, _ := strings.Cut(strings.ToLower(line), ",")
	f := strings.Fields(road)
	return f[max(0, len(f)-2)] + f[len(f)-1]
}

// roadBefore gives the name of a street that ends right before its number, like Lindenallee 3 or Kossuth utca 5.
func (m *message) roadBefore(at int) string {
	if m.lower[at-1] != ' ' {
		return ""
	}
	before := m.lower[max(0, at-40) : at-1]
	i := strings.LastIndexAny(before, " \n\t,;|")
	word := before[i+1:]
	for _, end := range roadEnds {
		if !strings.HasSuffix(word, end) {
			continue
		}
		if word != end {
			return word
		}
		start := at - 1 - len(word) - 1 // a word of its own: a name must stand before it
		name := m.text[max(0, start-24):max(0, start)]
		name = name[strings.LastIndexAny(name, " \n\t,;|")+1:]
		if r, _ := utf8.DecodeRuneInString(name); unicode.IsUpper(r) {
			return name + " " + word
		}
	}
	return ""
}
