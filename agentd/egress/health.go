package egress

import (
	"slices"

	"gatehouse/agentd/lazyre"
)

const (
	suffers = `(?:had |cure pour |suit un |in treatment for |in rehab |treats? |dx|rx|hatte |hatten |takes |took |since (?:her|his|my|the) |avait |prend |toma |tuvo |prende |ha avuto |neemt |had een |bierze |miał[a]? |teve |lab report|confirmed|biops\pL+|absen\pL+|came back|results?|diagnos\pL+|suffer\pL+ from|tested positive|positive for|test(?:ed)? .{0,12}positive|treated for|treatment for|being treated|prescri\pL+|hospitali[sz]ed|admitted|sick leave|on leave (?:for|due)|medical (?:history|record|report|certificate)|history of|surgery|undergo\pL*|underwent|relapse\pL*|medication|lab results?|test results?|has (?:been )?(?:been )?(?:got )?|is (?:being )?|erkrankt|leidet|diagnos\pL+|behandel\pL*|befund|krankgeschrieben|arbeitsunfähig\pL*|attest|hat |ist |souffre|atteinte? d|traitée? pour|arrêt maladie|est |a un |a été |sufre|padece|tratad[oa]|baja (?:médica|por)|tiene |está |soffre|affett[oa]|in cura|è |ha |malattia|lijdt|ziek\pL*|heeft |is |sofre|tratad[oa]|tem |está |baixa médica|cierpi|choruj\pL*|leczon\pL*|zwolnieni\pL+|rozpoznan\pL+|ma |jest |scan|mri|x-ray|shows?|showed|sygemeldt|sjukskriven|sykmeldt|sairauslomalla|lider av|lider af|har |fått |fått diagnosen|sairastaa|on |beteg|szenved|kap|kezelés|trpí|má |léčí|liečí|boluje|ima |bolan|suferă|are |πάσχει|έχει|νοσηλεύ\pL*|страда\pL*|боле\pL*|у него|у неё|у нее|лечится|больничн\pL*|хворіє|hasta\pL*|tedavi\pL*|early[- ]stage|carries|living with|struggl\pL+ with|battl\pL+|fighting|therapist|psychiatrist|notes|recovering from|because of|due to|wegen|à cause|por |per |vanwege|z powodu|kvůli|miatt|på grund av|on account of|off (?:work|sick)|off with|is on |goes? (?:to|through) )`
	someone = `(?:\b(?i:mr|mrs|ms|miss|dr|herrn?|frau|mme|mlle|monsieur|m\.|madame|sra?|señora?|don|doña|sig(?:\.ra|nora?)?|dhr|mevr|mevrouw|meneer|pan(?:i|a)?|senhora?)(?:\b\.?|) ?\p{Lu}|\b(?:[Pp]atients?|[Pp]atientin|[Pp]atiente|[Pp]aciente|[Pp]aziente|[Pp]atiënt\w*|[Pp]acjent\w*|[Ee]mployee|[Mm]itarbeiter\w*|[Ee]mplead[oa]|[Dd]ipendente|[Ww]erkne[em]\w*|[Pp]racowni\w+|[Ss]alarié\w*|\p{Lu}\p{Ll}+'s|[Cc]olleague|[Kk]olleg\w+|[Hh]er|[Hh]is|[Ss]he|[Hh]e|[Ss]ein|[Ii]hr|[Ee]lle|[Ii]l|[Ee]lla|[Ll]ei|[Ll]ui|[Zz]ij|[Hh]ij|[Oo]na|[Oo]n|[Hh]un|[Hh]an|[Hh]än|[Ee]a|[Ee]l|[Оо]на|[Оо]н|[Вв]ін|[Вв]она|[Αα]υτή|[Αα]υτός|[Pp]upils?|[Rr]esidents?|[Tt]enants?|[Gg]uests?|[Ss]tudents?|[Cc]hild|[Ii]nsured|[Cc]laimant|[Bb]eteg|[Pp]acijent\w*|[Pp]acientk?\w*|[Pp]acient\w*|[Mm]edarbejder\w*|[Mm]edarbetare\w*|[Aa]nsatt\w*|[Cc]olaborador\w*|[Ff]uncionári\w*|[Kk]und\w*|[Mm]other|[Ff]ather|[Mm]um|[Mm]om|[Dd]ad|[Bb]rother|[Ss]ister|[Bb]oss|[Mm]anager|[Ww]ife|[Hh]usband|[Ss]on|[Dd]aughter)\b|\p{Lu}\p{Ll}+ (?:[A-Z]\. ?)?\p{Lu}\p{Ll}+|\pL*(?:さん|様|先生)|患者|病人|환자|员工|社員|\b\p{Lu}\p{Ll}{2,}\b (?:from \pL+ )?(?:has|had|is|was|tested|needs|got|lost|gets|suffers|takes|took|hat|hatte|ist|leidet|nimmt|est|a|souffre|prend|tiene|tuvo|sufre|padece|toma|heeft|had|lijdt|slikt|ma|miała?|choruje|cierpi|bierze|tem|teve|sofre|ha|soffre|prende)\b|\b\p{Lu}\p{Ll}{2,} [èé] )`
)

var (
	sick = lazyre.MustCompile(`(?i)(?:^|[^\pL])` + suffers + `(?:[^.\n]{0,60}?[^\pL])?` + condition + `(?:$|[^\pL])|(?:^|[^\pL])` + condition + `[^.\n]{0,40}(?:diagnos\w+|positive|treatment|patient|befund|positiv\b|medication|relapse)`)
	who  = lazyre.MustCompile(`(?:^|[^\pL])(?i:(?-i:` + someone + `))`)
	// beside is a person and an illness with no verb between, as in a list.
	beside = lazyre.MustCompile(`\p{Lu}\p{Ll}+,? \p{Lu}\p{Ll}+(?:,? \(?\d{1,3}\)?)?\s{0,2}[-–—:,;(|/]{1,2}\s{0,2}(?:[\pL-]+ ){0,3}(?i:` + condition + `)`)
	ofAll  = lazyre.MustCompile(`(?i)(?:^|[^\pL])(?:awareness|good cause|(?:collect|rais)\w* money|sponsor\w*|study|studies|research|article|conference|seminar|webinar|charity|donat\w+|fundrais\w+|foundation|newsletter|prevention|vaccin\w+ campaign|insurance plan|patients with|people with|people who|risk of|symptoms of|brochure|campaign|course|world \w+ day|weltkrebstag|spende\w*|studie\w*|vorsorge\w*|étude|campagne|estudio|campaña|onderzoek naar|badani\w+ kliniczn\w+|drug trial|clinical trial|market|company|product|clinic offers|counselling|self-help|hotline|blog|tips|webshop|onderzoek|badanie|исследован\w*|профилактик\w*|курс|semin\w*|forebygg\w*|förebygg\w*|insamling\w*|kampagne\w*|kampanj\w*|info ?(?:evening|abend)|are welcome|vacanc\w*|nurse-led|open day|lectur\w*|speaks|talks?|keynote|presents|writes|author|expert|specialist|explains|answers? questions|vortrag\w*|spricht über|referat\w*|conférence|conferencia|charla|conferenza|relatore|lezing|wykład\w*|föredrag\w*|foredrag\w*|esitelm\w*|előadás\w*|přednášk\w*|лекци\w*|διάλεξη|ομιλία|seminer\w*|strokes? of|brush stroke)(?:$|[^\pL])`)
	// measured is what a laboratory or a pharmacy writes about one person.
	measured = lazyre.MustCompile(`(?i)\b(?:` + labValue + `)\b(?: (?:is|was|of|at|came back|liegt bei|beträgt|est à|es de|è di|wynosi)){0,2}[^.\n\pL]{0,12}\d|\b(?:` + medicine + `)\b`)
	record   = lazyre.MustCompile(`(?i)(?:patient|paciente|patientin|paziente|employee|name)[^\n]{0,60}(?:diagnos|condition|illness|krankheit|maladie|enfermedad|malattia)[^\n]{0,60}\n[^\n]{0,80}?[^\pL]` + condition + `|(?:\bdx|\bpmh|diagnos[ie]s|diagnose|diagnostic|diagnóstico|diagnosi|rozpoznanie|icd-?10|condition|medical history|anamnes\w+|befund)\s*[:=(][^\n]{0,20}?(?:[A-TV-Z]\d{2}(?:\.\d{1,2})?\b|` + condition + `)|\b(?:hr\.|herrn?|frau|mr\.?|mrs\.?|ms\.?|mme|sig(?:ra)?\.|patient\pL*|pani?|dhr\.?|mevr\pL*)[^\n]{0,60}\bicd-?10 [a-tv-z]\d{2}\b`)
)

// farIllness is how far from the name of an illness the longest expression about it looks.
const farIllness = 200

// farRecord is as far as a row of a record goes.
const farRecord = 160

// healths finds words for an illness in a sentence about a person.
func healths(m *message, f *found) {
	for _, p := range m.parts(recordTopic, farRecord, farRecord) {
		if record.MatchString(m.text[p.from:p.to]) {
			f.add(Health)
			return
		}
	}
	for _, p := range m.parts(illnessTopic, farIllness, farIllness) {
		if ill(m.text[p.from:p.to]) {
			f.add(Health)
			return
		}
	}
}

// recordWords are those that stand before what a record says.
const recordWords = `diagn|dx:|dx |dx=|pmh|icd|condition|medical hist|anamnes|befund|rozpoznan|illness|krankheit|maladie|enfermedad|malattia`

// ill says whether a passage speaks of the illness of a person.
func ill(s string) bool {
	for _, at := range slices.Concat(sick.FindAllStringIndex(s, 50), beside.FindAllStringIndex(s, 50), measured.FindAllStringIndex(s, 50)) {
		near := s[max(0, at[0]-90):min(len(s), at[1]+50)]
		if who.MatchString(near) && !ofAll.MatchString(near) {
			return true
		}
	}
	return false
}
