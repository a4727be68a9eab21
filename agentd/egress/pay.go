package egress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

const payWords = `salar|earns|earning|wage|payslip|pay slip|makes |gets |is on |is paid|was paid|base pay|basic pay|annual pay|monthly pay|take-home|remunerat|severance|compensation|payroll|gehalt|gehält|löhne|verdien|bekommt|lohn|bezüge|abfindung|salaire|rémunér|gagne|touche |sueldo|salario|retribu|cobra |gana |nómina|stipendio|guadagna|percepisce|busta paga|salaris|verdient|loon$|brutoloon|nettoloon|salário|ganha |recebe |ordenado|vencimento|remunera|wynagrodz|pensj|zarabia|zarobk|lønn|løn$|tjener|lön$|lönen|tjänar|palkka|palkan|ansaitsee|fizetés|keres |bére |mzda|mzdu|mzdy|vydělává|plaća|plaću|zarađuje|salariu|câștigă|μισθ|αμοιβ|зарплат|оклад|получает|зарабат|заробляє|maaş|kazanıyor|年収|年俸|給与|月給|工资|薪资|月薪|연봉|급여`

// Around a word for pay: so many bytes before and behind.
const (
	payBefore = 90
	payBehind = 110
	payBelow  = 500 // when a list stands below it
)

var (
	amount = `(?:(?:[€$£¥₹]|eur|usd|gbp|chf|pln|sek|nok|dkk|czk|huf|ron|r\$|us\$)\s?\d{1,3}(?:[.,' ]?\d{3})+|(?:[€$£¥₹]|eur|usd|gbp|chf|r\$)\s?\d{2,3}(?:[.,]\d)? ?k\b|\b\d{2,3}(?:[.,]\d)? ?k\b|\b\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{2})?\b|\b\d{4,7}(?:[.,]\d{2})?\b|\d{2,5}\s?万)`
	paid   = lazyre.MustCompile(`(?i)(?:\pL*salar\pL*|salaires?|(?:bulletin|fiche) de paie|wages?|payslip|(?:base|basic|annual|monthly|take-home) pay|remunerat\pL*|severance|compensation|\pL*gehalt\pL*|\pL*lohn\pL*|bezüge|abfindung|rémunér\pL*|sueldo|retribu\pL+|nómina|stipendio|busta paga|\pL*loon|salário|ordenado|vencimento|remunera\pL+|wynagrodz\pL*|pensj\pL*|zarobk\pL*|\pL*lønn\pL*|\pL*løn\pL*|\pL*lön\pL*|\pL*palk\pL+|fizetés\pL*|bére|mzd\pL+|plać\pL*|salariu\pL*|μισθ\pL*|αμοιβ\pL*|зарплат\pL*|оклад\pL*|maaş\pL*|年収|年俸|給与|月給|工资|薪资|月薪|연봉|급여)[^\n]{0,60}?` + amount + `|` + amount + `[^\n\d]{0,28}(?:salary|gehalt|salaire|sueldo|salario|stipendio|salaris|salário|gross (?:a|per)|brutto (?:im|pro)|brut par|bruto al|lordi (?:al|annui)|bruto per)`)
	// earned is a person, what he gets, and for what time or in what money.
	earned = lazyre.MustCompile(`(?:\p{Lu}[\pL'’-]+|\b(?i:he|she|they|er|sie|il|elle|él|ella|lui|lei|hij|zij|ona?|han|hun|hän))(?: \p{Lu}\pL+)? (?i:earns|earned|makes|made|is on|gets|is paid|was paid|bekommt|verdient|gagne|touche|cobra|gana|guadagna|percepisce|prende|ganha|recebe|zarabia|tjener|tjänar|ansaitsee|keres|vydělává|zarađuje|câștigă|получает|зарабатывает|заробляє|kazanıyor)[^\n.]{0,24}?` + amount + `.{0,4}(?i:k\b|€|\$|£|eur|usd|gbp|chf|pln|sek|nok|dkk|czk|huf|ron|kr\b|zł|gross|net|brutto|netto|brut|bruto|base|plus|p\.?a\.?|a (?:month|year|week)|per|/|im monat|monat|par|al|por|na miesi|rocznie)|\p{Lu}[\pL'’-]+(?: \p{Lu}\pL+)? (?i:earns|makes|is on|gets|is paid|verdient|gagne|gana|guadagna) (?:[^\n.]{0,12})?(?:[€$£]\s?\d|\d{2,3} ?k\b)`)
	// offered is what a firm writes to those who do not work there yet, and pay that is no one's.
	offered = lazyre.MustCompile(`(?i)\b(?:vacanc\pL*|job (?:offer|advert|ad|opening)|apply|applications?|hiring|we offer|starting (?:salary|from)|salary (?:range|band|from|between|survey|calculator)|from \d|range|stelle(?:nanzeige)?|bewerb\pL*|wir bieten|gehalt ab|gehaltsb[aä]nd\pL*|pay bands?|salary bands?|offre d'emploi|candidat\pL*|oferta de empleo|vacature|praca dla|average|median|minimum wage|mindestlohn|smic|per hour plus|invoice|order|discount|tax tables?|m/w/d|m/f/d|profit|revenue|turnover|customer pays?)\b`)
	// employed is a person as pay is told of: a name, or a word for somebody.
	employed = lazyre.MustCompile(`\p{Lu}\. ?\p{Lu}\p{Ll}+|\p{Lu}\p{Ll}+ (?:\p{Lu}\. )?(?:van |de |von |der |di |da )?\p{Lu}\p{Ll}+|\p{Lu}\p{Ll}+['’]s? |(?i:(?:^|[^\pL])(?:mr|mrs|ms|herrn?|frau|mme|sig\.ra|dhr|mevr|pani?|his|her|my|their|employee|mitarbeiter\pL*|seine?|ihr|son|empleado|dipendente|werknemer|pracownik\pL*)(?:$|[^\pL]))|\pL+さん|(?i:of|for|von|für|de|van|til|till|för|dla|di|da|für) \p{Lu}\p{Ll}+`)
)

// payList is the head of a list of what people get, and payRow a line of it. townRow is the number of a town, or an amount.
var (
	payList = lazyre.MustCompile(`(?im)^[^\n]{0,40}(?:salaries|wages|payroll|gehälter|gehaltsliste|löhne|lohnliste|vergütungen|salaires|sueldos|nóminas|stipendi|salarissen|salários|wynagrodzenia|löner|lønninger|palkat|mzdy|maaşlar|зарплаты)[^\n]{0,40}$`)
	payRow  = lazyre.MustCompile(`(?m)^[\s•*\d.)|-]{0,8}(\p{Lu}[\pL'’-]+),? (?:\p{Lu}\. )?(?:(?:van|de|von|den|der|di|da|del|du|dos|el|ten) ){0,2}(\p{Lu}[\pL'’-]+)[ \t]*[:|;,=–—-]?[ \t]*(?i:` + amount + `)`)
	townRow = lazyre.MustCompile(`(?m)((?:, |^\s*)\d{4,5} (?:Euro|Brutto|Netto|Franken|Kronen|Zloty|Lei)\b)|(?:, |^\s*)\d{4,5} \p{Lu}\p{Ll}{2,}`)
)

// positions are words that stand before an amount where no person does.
var positions = wordSet("junior senior lead leader head chief manager developer engineer assistant analyst designer consultant director officer intern trainee apprentice department team group staff costs total sum budget plan region branch abteilung summe gesamt kosten leiter leiterin entwickler techniker assistenz azubi ausbildung werkstatt lager north south east west")

// rowsOfPay is from how many people on a list says what they earn.
const rowsOfPay = 2

// payLists finds lists of what people earn: the word for it stands above them.
func payLists(m *message) bool {
	for _, p := range m.parts(payTopic, payBefore, payBelow) {
		s := m.text[p.from:p.to]
		head := payList.FindStringIndex(s)
		if head == nil || offered.MatchString(s) {
			continue
		}
		people := 0
		for _, row := range payRow.FindAllStringSubmatch(s[head[1]:], -1) {
			if !positions[strings.ToLower(row[1])] && !positions[strings.ToLower(row[2])] {
				people++
			}
		}
		if people >= rowsOfPay {
			return true
		}
	}
	return false
}

// pays finds what one person earns.
func pays(m *message, f *found) {
	if payLists(m) {
		f.add(Pay)
		return
	}
	for _, p := range m.parts(payTopic, payBefore, payBehind) {
		s := townRow.ReplaceAllString(m.text[p.from:p.to], "$1")
		if (paid.MatchString(s) && employed.MatchString(s) || earned.MatchString(s)) && !offered.MatchString(s) {
			f.add(Pay)
			return
		}
	}
}
