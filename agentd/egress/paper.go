package egress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

const (
	paperWords = `passport|reisepass|passeport|pasaporte|passaporto|paspoort|passaporte|paszport|pasnummer|pas nummer|паспорт|personalausweis|ausweisn|ausweis-n|ausweis nr|identity card|identity document|id card|id-card|id no|carte nationale|carte d'ident|carta d'ident|identiteitskaart|dowod|dowód|dowodu|driver's lic|drivers lic|driver lic|driver’s lic|driving lic|dl#|dl no|dl number|licence no|license no|führerschein|fuehrerschein|permis de cond|permiso de cond|carnet de cond|patente di|patente n|rijbewijs|carta de condu|prawo jazdy|prawa jazdy|residence permit|residence card|aufenthaltstitel|titre de séjour|permesso di sogg|green card|alien registration|uscis|visa no|visa number|护照|護照|パスポート|여권|` +
		`útlevél|személyi ig|szem. ig|cestovní pas|číslo pasu|občansk|op č|občiansk|pašaport|buletin|carte de identitate|seria |pasnr|passnr|pass nr|pass-nr|passnummer|körkort|førerkort|kørekort|ajokort|passin numero|henkilökort|vegabréf|διαβατηρ|ταυτότητ|α.δ.τ|adt|pasaport|kimlik kart|ehliyet|putovnic|osobna iskaznica|osobne iskaznice|lična karta|osebna izkaznica|potni list|лична карта|лк №|удостоверен|посвідчен|hộ chiếu|paspor|หนังสือเดินทาง|पासपोर्ट|جواز|דרכון`
	passport = `(?:passport|reisepass|passeport|pasaporte|passaporto|paspoort|passaporte|paszport\pL*|pas ?nummer|pasnr|паспорт\pL*|personalausweis\pL*|ausweis(?:nummer|-nr|-nummer| nr)|identity (?:card|document)|id[ -]card|id no|carte (?:nationale )?d'identit[eé]|carta d'identità|identiteitskaart|dow[oó]d\pL*(?: osobist\pL*)?|driver['’]?s? ?licen[cs]e|driving licen[cs]e|dl ?(?:#|no|number)|licen[cs]e no|führerschein\pL*|fuehrerschein\pL*|permis de conduire|permiso de conduc\pL*|carnet de conducir|patente (?:di guida|n)|rijbewijs\pL*|carta de condução|praw[oa] jazdy|residence (?:permit|card)|aufenthaltstitel|titre de séjour|permesso di soggiorno|green card|alien registration|uscis|visa (?:no|number)|护照|護照|パスポート|여권|` +
		`útlevél\pL*|személyi ig\pL*|szem\. ig\.|cestovní pas|číslo pasu|občansk\pL*|op č|občiansk\pL*|pašaport\pL*|buletin|carte de identitate|seria|passnr|pass[ -]nr|passnummer|körkort\pL*|førerkort\pL*|kørekort\pL*|ajokort\pL*|passin numero|henkilökort\pL*|vegabréf\pL*|διαβατηρ\pL*|(?:αστυνομική )?ταυτότητ\pL*|α\.δ\.τ\.?|pasaport\pL*|kimlik kart\pL*|ehliyet\pL*|putovnic\pL*|osobn\pL* iskaznic\pL*|lična karta|osebna izkaznica|potni list|лична карта|лк №|удостоверени\pL*|посвідченн\pL*|hộ chiếu|paspor|หนังสือเดินทาง|पासपोर्ट|جواز\pL*(?: السفر)?|דרכון)`
)

// Around the name of a document: so many bytes before and behind.
const (
	paperBefore = 40
	paperBehind = 90
)

var (
	paper = lazyre.MustCompile(`(?i)` + passport + `[^\n]{0,40}?(?:^|[^\pL\d])((?:\pL{0,5}[ -]?)?\d[A-Za-z0-9 -]{4,22}[A-Za-z0-9])`)
	// after has the number first: "L01X00T47 is her passport".
	after    = lazyre.MustCompile(`(?i)(?:^|[^\pL\d])([A-Z]{0,3}\d[A-Z0-9]{5,9}) (?:is|ist|est|es|è) (?:\pL+ ){0,3}` + passport)
	mixedID  = lazyre.MustCompile(`(?i)` + passport + `[^\n\d]{0,24}?(?:^|[^\pL\d])([A-Z]{1,3}[A-Z0-9]{6,9})(?:$|[^\pL\d])`)
	digit    = lazyre.MustCompile(`\d`)
	notNoOf  = lazyre.MustCompile(`(?i)(?:valid|expires?|issued|gültig|bis|until|renew\w*|before|on|am|from|costs?|price|room|form|page|tel\.?|phone) *$`)
	paperOff = lazyre.MustCompile(`(?i)\b(?:form|template|photo|office|holder|control|size|cover)s?\b`)
	// zone is a line of the part of a passport or card that machines read.
	zone = lazyre.MustCompile(`(?m)^[ \t>|]*([A-Z0-9<]{28,46})[ \t|]*$`)
)

// documents finds numbers of passports, identity cards and licences beside their name.
func documents(m *message, f *found) {
	if m.machineRead() {
		f.add(Document)
		return
	}
	for _, p := range m.parts(paperTopic, paperBefore, paperBehind) {
		if part := whole(m.text, p); numbered(part) || after.MatchString(part) {
			f.add(Document)
			return
		}
	}
}

// numbered says whether the name of a document has its number behind it.
func numbered(part string) bool {
	for _, at := range paper.FindAllStringSubmatchIndex(part, -1) {
		number := part[at[2]:at[3]]
		if n := len(digit.FindAllString(bare(number), -1)); n >= 5 && !looksDated.MatchString(number) && !notNoOf.MatchString(part[at[0]:at[2]]) && !paperOff.MatchString(part[at[0]:at[2]]) {
			return true
		}
	}
	for _, at := range mixedID.FindAllStringSubmatchIndex(part, -1) {
		number := part[at[2]:at[3]]
		if n := len(digit.FindAllString(number, -1)); n >= 2 && strings.ToUpper(number) == number {
			return true
		}
	}
	return false
}

var looksDated = lazyre.MustCompile(`^\s*(?:\d{1,2}[ ./-]\d{1,2}[ ./-](?:19|20)\d{2}|(?:19|20)\d{2}[ ./-]\d{1,2}[ ./-]\d{1,2}|(?:19|20)\d{2}\b)`)

// machineRead says whether a text holds lines of a passport or card for machines: filled with <, numbers checked with
// weights 7, 3 and 1.
func (m *message) machineRead() bool {
	if !strings.Contains(m.text, "<<") {
		return false
	}
	for _, g := range zone.FindAllStringSubmatch(m.text, 20) {
		if l := g[1]; strings.Count(l, "<") >= 2 && (strings.Contains("PIVAC", l[:1]) && strings.Contains(l, "<<") || len(digit.FindAllString(l, 12)) == 12) {
			return true
		}
	}
	return false
}
