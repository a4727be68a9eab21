package egress

import "slices"

// Kind names what was found.
type Kind string

// The kinds.
const (
	Secret      Kind = "secret"
	Card        Kind = "payment_card"
	IBAN        Kind = "iban"
	BankAccount Kind = "bank_account"
	SSN         Kind = "ssn"
	NationalID  Kind = "national_id"
	Document    Kind = "identity_document"
	Birth       Kind = "birth_date"
	Health      Kind = "health"
	Pay         Kind = "salary"
	PhoneList   Kind = "phone_list"
	MailList    Kind = "email_list"
	AddressList Kind = "address_list"
	Dump        Kind = "data_dump"
	Blob        Kind = "encoded_blob"
	New         Kind = "new_recipient"
	LookAlike   Kind = "lookalike_recipient"
	DataLink    Kind = "data_link"
	Config      Kind = "internal_config"
	HiddenText  Kind = "hidden_text"
	Volume      Kind = "volume"
	Unread      Kind = "unreadable_file" // nobody but a person can say what is in it
)

// table says what a kind leads to, and how the reason reads.
var table = map[Kind]struct {
	decision Decision
	reason   string
}{
	Secret:      {Block, "It holds a secret."},
	Card:        {Block, "It holds the number of a payment card."},
	IBAN:        {Escalate, "It holds the number of a bank account."},
	BankAccount: {Escalate, "It holds the number of a bank account."},
	SSN:         {Escalate, "It holds a social security number."},
	NationalID:  {Escalate, "It holds a number that a state gave to one person."},
	Document:    {Escalate, "It holds the number of a passport, identity card or licence."},
	Birth:       {Escalate, "It says when a person was born."},
	Health:      {Escalate, "It speaks of the health of a person."},
	Pay:         {Escalate, "It says what a person earns."},
	PhoneList:   {Block, "It holds many phone numbers."},
	MailList:    {Block, "It holds many e-mail addresses."},
	AddressList: {Block, "It holds many postal addresses."},
	Dump:        {Block, "It is a list of people's data, not a message."},
	Blob:        {Escalate, "It holds encoded bytes that cannot be read."},
	New:         {Escalate, "The recipient is new."},
	LookAlike:   {Escalate, "The recipient looks like a known one, but is another."},
	DataLink:    {Escalate, "A link in it carries data."},
	Config:      {Escalate, "It describes machines inside the house."},
	HiddenText:  {Escalate, "It carries text that nobody would see."},
	Volume:      {Escalate, "More is going out than usual."},
	Unread:      {Escalate, "It holds a file that is not text."},
}

// many is how many different numbers of people make a single finding a list.
const many = 5

// verdict applies the table: the strictest finding decides.
func (f *found) verdict() Verdict {
	if f.has(New, LookAlike) && f.accounts > 0 { // an account belongs on an invoice to someone who is known
		f.add(IBAN)
	}
	v := Verdict{Decision: Allow, Findings: []Finding{}}
	slices.Sort(f.kinds)
	for _, k := range f.kinds {
		t, ok := table[k]
		if !ok {
			t.decision, t.reason = Block, "It holds something that no rule knows."
		}
		v.Findings = append(v.Findings, Finding{k})
		v.Reasons = append(v.Reasons, t.reason)
		v.Decision = stricter(v.Decision, t.decision)
	}
	if len(f.people)+f.accounts >= many {
		v.Decision = Block
		v.Reasons = append(v.Reasons, "It holds the numbers of many people.")
	}
	return v
}

func stricter(a, b Decision) Decision {
	order := []Decision{Allow, Escalate, Block}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}
