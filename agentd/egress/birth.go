package egress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

var (
	day      = `(?:\d{1,2}[./ -]{1,2}(?:\d{1,2}|\pL{3,12}\.?)[., /-]{1,2}(?:de |d'|del )?(?:19|20)?\d{2}|(?:19|20)\d{2}[./-] ?\d{1,2}[./-] ?\d{1,2}|(?:19|20)\d{2}年\s?\d{1,2}月\s?\d{1,2}|(?:19|20)\d{2}년 ?\d{1,2}월 ?\d{1,2}|\pL{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d{2}|\d{1,2}(?:st|nd|rd|th)? (?:of )?\pL{3,9},? (?:19|20)\d{2}|\d{1,2}\.? (?:de )?\pL{3,12} (?:de )?(?:19|20)\d{2}|(?:19|20)\d{2}\. \pL{3,12} \d{1,2}|(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))\b`
	bornWord = `(?:born(?: on)?|date[ _]of[ _]birth|date-of-birth|birth[ _-]?da(?:te|y)(?: is|:| on)?|birth_?date|d\.?o\.?b\.?|geburtsdatum|geburtstag|geb\.?(?:datum)?|geboren(?: am| op)?|née?(?:\(e\))? le|naissance|fecha de nacimiento|f\. ?nac\.?|nacid[oa](?: el)?|data di nascita|nat[oa] (?:il|a)|né\(?e?\)? (?:à|en)|geboortedatum|data de nascimento|nascid[oa](?: em)?|data urodzenia|urodzon[ay]|ur\.|дата рождения|родил\S*|рожд\S*|дата народження|народ\S*|出生日期|出生|生年月日|생년월일|` +
		`szület\pL*(?: idő| ideje|i idő)?|datum narození|naroz\pL*|dátum narodenia|naroden\pL*|nar\.|fødselsdato|født|fødd|födelsedat\pL*|född|f\.|syntymäaika|syntynyt|synt\.|fæðingard\pL*|ημερομηνία γέννησης|ημ\. γέννησης|γενν\pL*|doğum tarihi|d\. ?tarihi|doğdu|datum rođenja|rođen\pL*|datum rojstva|rojen\pL*|data nașterii|născut\pL*|дата на раждане|роден\pL*|dzimšanas|gimimo|sünni\pL*|ngày sinh|tanggal lahir|lahir|วันเกิด|जन्म\S*|تاريخ الميلاد|תאריך לידה)`
	born = lazyre.MustCompile(`(?i)^` + bornWord + `["']?(?:[^\n\d]{0,32}?|\s*[:|]\s*)` + day)
	star = lazyre.MustCompile(`\pL[^\n\d]{0,3}\(?\* ?(?:\d{1,2}\. ?(?:\d{1,2}\.|\pL{3,9}) ?(?:19|20)\d{2})`)
)

const birthWords = `born|date of birth|date_of_birth|date-of-birth|birth|d.o.b|dob|geburts|geb.|geb |geboren|née|né le|nee le|naissance|fecha de nac|f. nac|f.nac|nacid|data di nasc|nato il|nata il|nato a |nata a |né à|née à|geboorted|data de nasc|nascid|data urodz|urodz|ur. |дата рожд|родил|рожд|дата народ|народ|出生|生年月日|생년월일|` +
	`szület|datum naroz|naroz|dátum nar|naroden|nar. |fødsel|født|fødd|född|födel|f. |syntym|synty|synt.|fæðing|ημερομηνία γ|ημ. γ|γενν|doğum|d. tarihi|doğdu|datum rođ|rođen|datum roj|rojen|data naș|născut|дата на раж|роден|dzimšanas|gimimo|sünni|ngày sinh|tanggal lahir|lahir|วันเกิด|जन्म|تاريخ الميلاد|תאריך לידה`

// farBirth is how far behind its word a birth date may end.
const farBirth = 72

// bornThing matches what came to be without being a person.
var bornThing = lazyre.MustCompile(`(?i)\b(?:museum|shop|company|firm|idea|brand|business|project|band|club|tradition|team|calf|foal|puppy|kitten|lamb) (?:was|is|were) born\b`)

// births finds birth dates that are named as such.
func births(m *message, f *found) {
	for _, h := range m.about(birthTopic) {
		if born.MatchString(whole(m.text, span{h.from, h.to + farBirth})) && !bornThing.MatchString(whole(m.text, span{h.from - 24, h.to + 4})) {
			f.add(Birth)
			return
		}
	}
	if strings.Contains(m.text, "*") && star.MatchString(m.text) {
		f.add(Birth)
	}
}
