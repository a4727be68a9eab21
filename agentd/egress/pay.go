package egress

import "gatehouse/agentd/lazyre"

const payWords = `salar|earns|earning|wage|pay rise|payslip|pay slip|paid |makes |bonus|severance|compensation|gehalt|verdien|lohn|abfindung|salaire|gagne|touche |prime |sueldo|salario|cobra |gana |nómina|stipendio|guadagna|percepisce|ral |busta paga|salaris|verdient|loon$|salário|ganha |recebe |ordenado|vencimento|wynagrodz|pensj|zarabia|pensja|lønn|løn$|tjener|lön$|lönen|tjänar|palkka|palkan|ansaitsee|fizetés|keres |bére |plat |plat:|mzda|mzdu|mzdy|vydělává|plaća|plaću|plaća|zarađuje|salariu|salariul|câștigă|μισθ|αμοιβ|зарплат|оклад|получает|заробляє|maaş|kazanıyor|年収|年俸|給与|月給|工资|薪资|月薪|연봉|급여`

// Around a word for pay: so many bytes before and behind.
const (
	payBefore = 90
	payBehind = 110
)

var (
	amount = `(?:(?:[€$£¥₹]|eur|usd|gbp|chf|pln|sek|nok|dkk|czk|huf|ron|r\$|us\$)\s?\d{1,3}(?:[.,' ]?\d{3})+|(?:[€$£¥₹]|eur|usd|gbp|chf|r\$)\s?\d{2,3}(?:[.,]\d)? ?k\b|\b\d{2,3}(?:[.,]\d)? ?k\b|\b\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{2})?\b|\b\d{4,7}(?:[.,]\d{2})?\b|\d{2,5}\s?万)`
	paid   = lazyre.MustCompile(`(?i)(?:salar\pL*|earns|earning|wages?|pay rise|payslip|is paid|gets paid|makes|bonus|severance|compensation|\pL*gehalt\pL*|verdien\pL*|\pL*lohn\pL*|abfindung|salaire|gagne|touche|sueldo|salario|cobra|gana|nómina|stipendio|guadagna|percepisce|ral|busta paga|salaris|loon|salário|ganha|recebe|ordenado|vencimento|wynagrodz\pL*|pensj\pL*|zarabia|lønn\pL*|løn\pL*|tjener|lön\pL*|tjänar|palk\pL+|ansaitsee|fizetés\pL*|keres|bére|plat|mzd\pL+|vydělává|plać\pL*|zarađuje|salariu\pL*|câștigă|μισθ\pL*|αμοιβ\pL*|зарплат\pL*|оклад\pL*|получает|заробляє|maaş\pL*|kazanıyor|年収|年俸|給与|月給|工资|薪资|月薪|연봉|급여)[^\n]{0,60}?` + amount + `|` + amount + `[^\n\d]{0,28}(?:salary|gehalt|salaire|sueldo|salario|stipendio|salaris|salário|gross (?:a|per)|brutto (?:im|pro)|brut par|bruto al|lordi (?:al|annui)|bruto per)`)
	// offered is what a firm writes to those who do not work there yet, and pay that is no one's.
	offered = lazyre.MustCompile(`(?i)\b(?:vacanc\pL*|job (?:offer|advert|ad|opening)|apply|applications?|hiring|we offer|starting (?:salary|from)|salary (?:range|band|from|between|survey|calculator)|from \d|range|stelle(?:nanzeige)?|bewerb\pL*|wir bieten|gehalt ab|offre d'emploi|candidat\pL*|oferta de empleo|vacature|praca dla|average|median|minimum wage|mindestlohn|smic|per hour plus|invoice|order|discount|tax tables?|m/w/d|m/f/d|profit|revenue|turnover|customer pays?)\b`)
	// employed is a person as pay is told of: a name, or a word for somebody.
	employed = lazyre.MustCompile(`\p{Lu}[\pL'’]+(?:'s|’s|s)? (?i:salar|earns|makes|gets|is (?:paid|on)|verdien|bekommt|gehalt|gagne|touche|cobra|gana|guadagna|percepisce|verdient|ganha|recebe|zarabia|tjener|tjänar|ansaitsee|keres|vydělává|zarađuje|câștigă|получает|kazanıyor)|\p{Lu}\p{Ll}+ (?:\p{Lu}\. )?(?:van |de |von |der |di |da )?\p{Lu}\p{Ll}+|(?i:(?:^|[^\pL])(?:mr|mrs|ms|herr|frau|mme|sig\.ra|dhr|mevr|pani?|his|her|my|their|employee|mitarbeiter\pL*|seine?|ihr|son|empleado|dipendente|werknemer|pracownik\pL*)(?:$|[^\pL]))|\pL+さん`)
)

// pays finds what one person earns.
func pays(m *message, f *found) {
	for _, p := range m.parts(payTopic, payBefore, payBehind) {
		if s := m.text[p.from:p.to]; paid.MatchString(s) && employed.MatchString(s) && !offered.MatchString(s) {
			f.add(Pay)
			return
		}
	}
}
