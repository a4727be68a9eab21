package egress

import "gatehouse/agentd/lazyre"

var (
	// ownWords are what stands where a customer is asked to pay; notOwn are people who get or give the money; addressed
	// is how he is greeted and numbered, which says nothing about the account.
	ownWords = lazyre.MustCompile(`(?i)(?:^|[^\pL])(?:please (?:transfer|pay|remit|wire|settle|send|use)|pay(?:able|ments?|ing)?|settle\pL*|fees?|dues|membership|deposit|rent|reference|keyword|gift|transfer(?:red|s)?|wire (?:instructions?|transfer)|remit\pL*|total due|amount due|balance due|our (?:bank|account|iban|new)|bank details|to the following account|invoice\pL*|donat\pL*|deposit for your booking|to secure (?:your|the) booking|payee|beneficiary|account holder|` +
		`rechnung\pL*|bankverbindung|[uü]e?berweis\pL*|unser\pL* (?:neue\pL* )?(?:konto|bank)\pL*|zahl(?:bar|ung|ungen|en|e|ungsziel)|begleich\pL*|kontoverbindung|verwendungszweck|kassenzeichen|aktenzeichen|gebühr\pL*|spende\pL*|\pL*beitrag|miete|kaution|betreff|empfänger|kontoinhaber|facture\pL*|virement|règlement|r[ée]gler|payer|paiement|notre compte|coordonnées bancaires|titulaire|cotisation|loyer|cuota|quota|contributie|składk\pL*|avgift\pL*|kontingent|jäsenmaksu|tagdíj\pL*|don en ligne|factur\pL*|transferencia|nuestra cuenta|datos bancarios|abon\pL+|pag[oau]\pL*|concepto|titular|fattur\pL*|bonific\pL*|coordinate bancarie|causale|intestat\pL*|nostro conto|versa\pL*|` +
		`factuur\pL*|over te maken|overmaken|rekeningnummer|rekening|betal\pL+|voldoen|onder vermelding|t\.?n\.?v|fatura\pL*|dados bancários|transferir|pagamento|boleto|faktur\pL*|przelew\pL*|przela\pL+|wpłat\pL*|wpłac\pL*|tytułem|numer konta|nasz rachunek|nasze konto|na rachunek|náš\pL* [uú]č\pL*|na účet|účet dodavatele|bankovní spojení|uhra\pL+|zapla\pL+|platb\pL*|zašlete|faktúr\pL*|számla\pL*|bankszámla\pL*|számlaszám\pL*|utal\pL*|befizet\pL*|kérjük|tilille\pL*|tilimme|lasku\pL*|viite\pL*|maksa\pL*|pankkiyhteys|` +
		`vårt (?:konto|bankgiro)|betalas|inbetal\pL*|indbetal\pL*|vores konto|vår konto|kontonr|bankkonto|račun\pL*|uplat\pL*|plać\pL*|contul nostru|plat[aăiț]\pL*|λογαριασμ\pL+ μας|τιμολόγιο|πληρω\pL*|εξοφλ\pL*|наш\pL* сч[её]т|сч[её]т на оплату|оплат\pL*|рахун\pL*|сплат\pL*|hesabımız\pL*|ödeme\pL*|havale|arve\pL*|rēķin\pL*|sąskait\pL*)(?:$|[^\pL])`)
	addressed = lazyre.MustCompile(`(?i)(?:^|[^\pL])(?:dear|hello|hi|sehr geehrte\pL*|liebe[rs]?|hallo|guten (?:tag|morgen)|bonjour|ch[eè]re?|estimad[oa]s?|hola|gentile|egregi[oa]|buongiorno|beste|geachte|szanown\pL+|prezad[oa]|caro|cara|hej|hei|kära|kære|kjære|vážen\pL+|tisztelt|αγαπητ\pL+|уважаем\pL+|шановн\pL+|sayın)[^,\n!:]{0,60}[,\n!:]|(?:customer|client|kunden?|klant|member|mitglieds?|tenant|patient|konto)s?[- ]?(?:no|nr|num|number|nummer|id|service|ref)\b\pL*|(?:for|ref\.?|reference) (?:customer|client) `)
	// firm is a name with the form of a firm behind it.
	firm    = lazyre.MustCompile(`\p{Lu}[\pL&.-]+,? (?:GmbH|AG|KG|OHG|UG|e\.? ?V\.|Ltd|Limited|LLP|LLC|Inc|Corp|PLC|plc|BV|B\.V\.|NV|SA|S\.A\.|SAS|SARL|S\.L\.|SL|SpA|S\.p\.A\.|Srl|S\.r\.l\.|Sp\. z o\.o\.|AB|A/S|ApS|AS|Oy|Oyj|Kft\.?|Zrt\.?|s\.r\.o\.|a\.s\.|d\.o\.o\.|Lda|Pty|Pte)\b`)
	notOwn  = lazyre.MustCompile(`(?i)\b(?:customer'?s?|client'?s|employee'?s?|patient'?s?|his|her|their|kunden?|kundin|mitarbeiter\w*|salary|wages?|\pL+['’]s (?:iban|account|bank)|payroll|gehalt|member'?s?|direct debit|lastschrift|sepa.mandat|mandate|du client|del cliente|dell'?cliente|van de klant|do cliente|klienta|mr\.?|mrs\.?|ms\.?|herrn?|frau|mme|sig\.|mevrouw|mevr|meneer|dhr|señora?|signora|senhora?|monsieur|madame|my (?:iban|account)|rückzahl\pL*|rückerstatt\pL*|erstattung\pL*|mieter\pL*|huurder|locataire|inquilin\pL*|wynagrodz\pL*|payout|pay out|auszahl\pL*|uitbetal\pL*|utbetal\pL*|udbetal\pL*|vyplat\pL*|wypłat\pL*|loon|maintenance|alimony|unterhalt|goes to (?:her|him)|pegawai|zaměstnan\w*|zákazník\w*|ansatt\w*|anställd\w*|medarbejder\w*|asiakka\w*|työntek\w*|palkka|dolgozó\w*|munkavállaló\w*|vendég\w*|ügyfél\w*|angajat\w*|client(?:ul|ei)|zaposlen\w*|πελάτη|εργαζόμεν|υπαλλήλ|клиент\w*|сотрудник\w*|maaş|çalışan\w*|müşteri\w*|tenant'?s?|landlord'?s|guest'?s?|refund|erstatt\w*|rembours\w*|reembols\w*|rimbors\w*|zwrot|terugbetal\w*|återbetal\w*|tilbagebetal\w*|wages?|lohn|meine iban|mein konto|mon iban|mi iban)\b`)
	bsb     = lazyre.MustCompile(`(?i)\bbsb\b[^\n\d]{0,40}\d{3}[- ]?\d{3}\b(?s:.{0,60}?)\d[\d -]{4,10}\d`)
	transit = lazyre.MustCompile(`(?i)\btransit\b[^\n\d]{0,40}\d{5}\b(?s:.{0,80}?)\b(?:account|acct|a/c)\b[^\n\d]{0,40}\d{7,12}`)
	ifsc    = lazyre.MustCompile(`(?i)\b[a-z]{4}0[a-z0-9]{6}\b(?s:.{0,120}?)\b\d{9,18}\b|\b\d{9,18}\b(?s:.{0,80}?)\bifsc\b`)
	clabe   = lazyre.MustCompile(`(?i)\bclabe\b[^\n\d]{0,40}(\d{18}|\d{3} ?\d{3} ?\d{11} ?\d)\b`)
	cbu     = lazyre.MustCompile(`(?i)\bcbu\b[^\n\d]{0,40}\d{8}[ -]?\d{14}\b`)
	branch  = lazyre.MustCompile(`(?i)\b(?:ag[eê]ncia|ag\.)[^\n\d]{0,40}\d{3,5}(?:-\d)?\b(?s:.{0,60}?)\b(?:conta|c/c|cc)\b[^\n\d]{0,40}\d{4,12}-?[\dx]\b`)
	blz     = lazyre.MustCompile(`(?i)\b(?:konto(?:nummer|nr)?|kto)\b\.?[^\n\d]{0,40}\d{6,10}\b(?s:.{0,50}?)\bblz\b[^\n\d]{0,8}\d{3} ?\d{3} ?\d{2}\b|\bblz\b[^\n\d]{0,8}\d{3} ?\d{3} ?\d{2}\b(?s:.{0,50}?)\b(?:konto(?:nummer|nr)?|kto)\b\.?[^\n\d]{0,40}\d{6,10}\b`)
	usBank  = lazyre.MustCompile(`(?i)\b(?:routing|aba|rtn)\b[^\n\d]{0,40}(\d{9})\b(?s:.{0,120}?)\b(?:account|acct)\b[^\n\d]{0,40}\d{6,17}|\b(?:account|acct)\b[^\n\d]{0,40}\d{6,17}\b(?s:.{0,120}?)(?:routing|aba|rtn)\b[^\n\d]{0,40}(\d{9})\b`)
	ukBank  = lazyre.MustCompile(`(?i)\bsort[ -]?code\b[^\n\d]{0,40}\d{2}[ -]?\d{2}[ -]?\d{2}\b(?s:.{0,80}?)\b\d{8}\b|\b\d{8}\b.{0,40}?\bsort[ -]?code\b[^\n\d]{0,40}\d{2}[ -]?\d{2}[ -]?\d{2}\b`)
)

// bankWords are those that the expressions above begin or end with.
const bankWords = `routing|aba$|rtn$|sort code|sort-code|sortcode|bsb$|transit|ifsc|clabe|cbu$|agência|agencia|ag. |blz$`

// Around such a word: as far as the longest of the expressions looks.
const widestBank = 240

// ownAccounts is how many accounts a firm puts at the foot of a letter at most.
const ownAccounts = 3

// accounts finds numbers of bank accounts. The sender's own, put where a customer is asked to pay, is no finding.
func accounts(m *message, f *found) {
	all := m.ibans()
	f.accounts = len(all)
	if n := len(all); n > ownAccounts || n > 0 && !m.own(all) {
		f.add(IBAN)
	}
	if len(all) >= many {
		f.add(Dump)
	}
	for _, p := range m.parts(bankTopic, widestBank, widestBank) {
		if s := m.text[p.from:p.to]; domestic(s) && (!ownWords.MatchString(s) || notOwn.MatchString(s)) {
			f.add(BankAccount)
			return
		}
	}
}

// domestic says whether a text holds an account as one country writes it: the bank and the number, each by its name.
func domestic(s string) bool {
	for _, g := range usBank.FindAllStringSubmatch(s, -1) {
		if weighted(g[1]+g[2], 3, 7, 1, 3, 7, 1, 3, 7, 1)%10 == 0 {
			return true
		}
	}
	for _, g := range clabe.FindAllStringSubmatch(s, -1) {
		if clabeHolds(bare(g[1])) {
			return true
		}
	}
	for _, form := range []*lazyre.Regexp{ukBank, bsb, transit, ifsc, cbu, branch, blz} {
		if form.MatchString(s) {
			return true
		}
	}
	return false
}

// clabeHolds: Mexican account, weights 3 7 1, each product by 10.
func clabeHolds(s string) bool {
	sum := 0
	for i := range 17 {
		sum += int(s[i]-'0') * []int{3, 7, 1}[i%3] % 10
	}
	return (10-sum%10)%10 == int(s[17]-'0')
}

// holder is a person whose account it is, behind it.
var holder = lazyre.MustCompile(`^[A-Za-z0-9 .-]{15,44}?,? ?(?:\((?:\p{Lu}\.|\p{Lu}\p{Ll}+) (?:\pL+ ){0,2}\p{Lu}\p{Ll}+\)|(?i:(?:is|belongs to|gehört|of|von|de|di|van|para|för|til|för)) (?:(?i:his|her|mr|mrs|ms|herrn?|frau|mme|the (?:customer|employee|client)|sig)))`)

// ours says whose account the one behind it is: that of who writes.
var ours = lazyre.MustCompile(`(?i)(?:^|[^\pL])(?:our|unser\pL*|notre|nuestra|nostro|onze|nosso|nossa|nasz\pL*|náš\pL*|vår|vårt|vores|наш\pL*) (?:\pL+ ){0,2}(?:account|iban|bank|konto|kontos|compte|cuenta|conto|rekening|conta|rachunek|účet|сч[её]т)(?: (?:no|nr|number|nummer|iban|is|ist|lautet)\b)*[^\pL\d]{0,4}$`)

// own says whether every account stands where a sender puts his own.
func (m *message) own(all map[string]int) bool {
	for _, at := range all {
		near := m.text[max(0, at-400):min(len(m.text), at+200)]
		beside := addressed.ReplaceAllString(m.text[max(0, at-70):at], " ")
		if notOwn.MatchString(beside) || !ours.MatchString(beside) && holder.MatchString(m.text[at:min(len(m.text), at+90)]) || !ownWords.MatchString(near) && !firm.MatchString(m.text[max(0, at-90):min(len(m.text), at+110)]) {
			return false
		}
	}
	return true
}
