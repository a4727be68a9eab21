package egress

import (
	"strings"
	"sync"
)

// nameWords are words that name a column about a person; besideWords stand beside them: the customer's mail, phone 2.
const (
	nameWords = `mail email epost sähköposti phone tel telefon telephone telefono téléphone telefonszám telefonnummer telefonnr puhelin puhelinnumero τηλέφωνο телефон mobile mobil móvil cell cellphone handy gsm whatsapp address adresse adress anschrift osoite cím lakcím διεύθυνση адрес адреса street strasse straße city zip plz postal postcode ` +
		`firstname lastname surname forename fullname name names vorname nachname familienname nom prénom prenom nombre apellido apellidos nome cognome naam voornaam achternaam imię imie nazwisko fornavn etternavn efternavn navn förnamn efternamn namn etunimi sukunimi nimi név neve vezetéknév keresztnév jméno příjmení meno priezvisko ime prezime priimek nume prenume όνομα επώνυμο ονοματεπώνυμο имя фамилия фио ім'я прізвище піб ad adı soyad soyadı isim 氏名 名前 姓名 이름 성명 ` +
		`customer kunde client user username login contact teléfono correo telefoon dirección direccion indirizzo adres morada telefone employee member guest tenant gast mieter patient pupil student driver ügyfél vendég zákazník cliente klient klientka dipendente empleado salarié werknemer pracownik mitarbeiter medarbejder anställd ansatt 電話 电话 手机 住所 邮箱 メール 전화`
	besideWords    = `e i y et and und first last given full middle family customer client guest tenant user employee member contact guardian parent patient student pupil owner billing shipping delivery home work private emergency kunden kunde gast mieter buyer holder teilnehmer id no nr number nummer name address mail phone line 1 2 3 electrónico electronico tel szám číslo numer`
	sensitiveWords = `birth|geburts|dob$|naissance|nacimiento|nascita|nascimento|geboorte|urodz|születé|narozen|fødsel|födels|syntym|γέννησ|рожден|народжен|doğum|生年月日|出生|ssn$|social|tax_id|tax id|taxid|tax-id|tin$|steuer|iban|account|konto|card|karte|karta|passw|pwd|hash|secret|salar|gehalt|wage$|wages$|lohn|salaire|stipendio|wynagrodz|pensja|fizetés|mzda|plaća|lønn|løn$|lön$|palkka|зарплат|maaş|income|diagnos|health|illness|allerg|medication|blood|national|passport|pesel|bsn$|dni$|nif$|cpf$|oib$|cnp$|personnummer|fødselsnummer|hetu|codice|gender|religion|ethnic|cvv|cvc|balance|credit|身份证|マイナンバー|給与|工资|연봉`
)

// longestColumn is how long the name of a column may be.
const longestColumn = 40

var columnWords = sync.OnceValue(func() (all struct {
	names, beside map[string]bool
	sensitive     lexicon
},
) {
	all.names, all.beside, all.sensitive = wordSet(nameWords), wordSet(besideWords), lexicon{}
	all.sensitive.add(0, sensitiveWords)
	return all
})

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// columns counts the names of personal columns. A sentence with commas has cells too long for names.
func columns(cells []string) (contacts, sensitive int) {
	for i, c := range cells {
		c = strings.ToLower(strings.Trim(c, " \t\"'`*#\r()"))
		switch {
		case len(c) > longestColumn, strings.Count(c, " ") > 3, c == "" && i == 1 && len(cells) == 2: // a sentence; a greeting
			return 0, 0
		case c == "":
		case isSensitive(c):
			sensitive++
		case isContact(c):
			contacts++
		}
	}
	return contacts, sensitive
}

// isSensitive says whether a column holds what harms a person when others know it.
func isSensitive(column string) bool {
	return len(columnWords().sensitive.in(column, column)) > 0 || strings.HasSuffix(column, "gehalt") || strings.HasSuffix(column, "konto") || strings.HasSuffix(column, "lohn")
}

// isContact says whether a column holds who somebody is or how he is reached: each word of it speaks of that.
func isContact(column string) bool {
	words, named := columnWords(), false
	for w := range strings.FieldsFuncSeq(column, func(r rune) bool { return strings.ContainsRune(" _-./", r) }) {
		if !words.names[w] && !words.beside[w] {
			return false
		}
		named = named || words.names[w]
	}
	return named
}

// anyName says whether no column but one for names or towns speaks of people: products and machines have them too.
func anyName(cells []string) bool {
	for _, c := range cells {
		c = strings.Trim(c, " \t\"'`*#\r()")
		if (isContact(c) || isSensitive(c)) && !things[c] {
			return false
		}
	}
	return true
}

var things = wordSet("name names nom nombre nome naam navn namn nimi név jméno ime nume user city ort stadt ville ciudad contact login")
